# Varnish in front of an immutile origin, for Varnish 7.
#
#   varnishd -f /etc/varnish/default.vcl -a :80 -s malloc,8g -p http_gzip_support=off
#
# Tiles have a version in their path and never change: they are kept for a year and never purged.
# Documents that point at the current version live as long as the origin says; start the origin with
# --public-url, else its TileJSON is not cacheable. http_gzip_support must be off: with it Varnish rewrites
# Accept-Encoding itself and unpacks gzip for clients that do not take it.
vcl 4.1;

import std;

# CHANGE: the origin.
backend origin {
    .host = "127.0.0.1";
    .port = "8080";
    .connect_timeout = 2s;
    .first_byte_timeout = 10s;
}

sub vcl_recv {
    unset req.http.Cookie;
    unset req.http.Authorization;
    call encoding;
    # Tiles depend on their path alone: a query makes no new copy.
    if (req.url ~ "^(?:/[a-z0-9][a-z0-9_-]{0,62})?/v[0-9]{1,10}/[0-9]{1,10}/[0-9]{1,10}/[0-9]{1,10}\.mvt\?") {
        set req.url = regsub(req.url, "\?.*", "");
    }
    if (req.method == "GET" || req.method == "HEAD") {
        return (hash);
    }
    return (pass);
}

# What a client takes, in six classes and no more: with the origin's Vary, one copy of a tile is kept for
# each, however many ways browsers have of writing it. A coding refused with q=0 is not taken.
sub encoding {
    std.collect(req.http.Accept-Encoding);
    set req.http.X-Takes = "";
    if (req.http.Accept-Encoding ~ "(?i)(?:^|,)\s*br\s*(?:$|,|;(?!\s*q\s*=\s*0(?:\.0*)?\s*(?:$|,)))") {
        set req.http.X-Takes = "br";
    }
    # br and gzip together, not br alone: a tileset may have no br.
    if (req.http.Accept-Encoding ~ "(?i)(?:^|,)\s*(?:x-)?gzip\s*(?:$|,|;(?!\s*q\s*=\s*0(?:\.0*)?\s*(?:$|,)))") {
        if (req.http.X-Takes == "br") {
            set req.http.X-Takes = "br, gzip";
        } else {
            set req.http.X-Takes = "gzip";
        }
    } else if (req.http.Accept-Encoding ~ "(?i)(?:^|,)\s*identity\s*;\s*q\s*=\s*0(?:\.0*)?\s*(?:$|,)"
        || (req.http.Accept-Encoding ~ "(?:^|,)\s*\*\s*;\s*q\s*=\s*0(?:\.0*)?\s*(?:$|,)"
            && req.http.Accept-Encoding !~ "(?i)(?:^|,)\s*identity\s*(?:$|,|;)")) {
        # Hardly anybody refuses plain bytes; whoever does must get 406 where there is nothing else.
        if (req.http.X-Takes == "br") {
            set req.http.X-Takes = "br, identity;q=0";
        } else {
            set req.http.X-Takes = "identity;q=0";
        }
    }
    if (req.http.X-Takes == "") {
        unset req.http.Accept-Encoding;
    } else {
        set req.http.Accept-Encoding = req.http.X-Takes;
    }
    unset req.http.X-Takes;
}

sub vcl_hash {
    hash_data(req.url);
    # A tile is the same under every name of the server.
    if (req.url !~ "^(?:/[a-z0-9][a-z0-9_-]{0,62})?/v[0-9]{1,10}/[0-9]{1,10}/[0-9]{1,10}/[0-9]{1,10}\.mvt$") {
        hash_data(req.http.Host);
    }
    return (lookup);
}

sub vcl_hit {
    # Stale, and beyond stale-while-revalidate: ask the origin first. If that fails, vcl_deliver comes
    # back for what is here (stale-if-error).
    if (obj.ttl <= 0s && req.restarts == 0
        && obj.ttl + std.duration(regsub(obj.http.Cache-Control, "^.*stale-while-revalidate=([0-9]+).*$", "\1s"), 0s) <= 0s) {
        set req.grace = 0s;
        return (restart);
    }
    return (deliver);
}

sub vcl_backend_response {
    if (beresp.status >= 500) {
        # In the background: keep what there is.
        if (bereq.is_bgfetch) {
            return (abandon);
        }
        set beresp.uncacheable = true;
        set beresp.ttl = 0s;
        set beresp.grace = 0s;
        return (deliver);
    }
    if (beresp.http.Cache-Control ~ "(?i)no-store|no-cache|private" || beresp.http.Cache-Control !~ "max-age") {
        # Not Varnish's usual two minutes: what is missing now may be published the next second.
        set beresp.uncacheable = true;
        set beresp.ttl = 1s;
        set beresp.grace = 0s;
        return (deliver);
    }
    if (beresp.status == 307 || beresp.status == 308) {
        set beresp.ttl = std.duration(regsub(beresp.http.Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), 0s);
    }
    # How long the stale one may be shown while the origin is down.
    set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, "^.*stale-if-error=([0-9]+).*$", "\1s"), 0s);
    if (beresp.grace == 0s) {
        set beresp.grace = std.duration(regsub(beresp.http.Cache-Control, "^.*stale-while-revalidate=([0-9]+).*$", "\1s"), 0s);
    }
    # To ask by tag whether it changed.
    set beresp.keep = 1d;
    return (deliver);
}

sub vcl_deliver {
    if (resp.status >= 500 && req.restarts == 1) {
        set req.grace = 365d;
        return (restart);
    }
    if (obj.hits > 0) {
        set resp.http.X-Cache = "HIT";
    } else {
        set resp.http.X-Cache = "MISS";
    }
    unset resp.http.Via;
    unset resp.http.X-Varnish;
}

//! The time of day as text, for people and for the ages of ledger lines.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, by this machine's clock: RFC 3339 in UTC with seconds, `2026-01-31T23:59:59Z`.
pub fn now() -> String {
    let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs() as i64,
        Err(before) => -(before.duration().as_secs() as i64),
    };
    rfc3339(seconds)
}

/// Seconds since 1970 as text.
fn rfc3339(seconds: i64) -> String {
    let (year, month, day) = civil(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// The date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Years start in
/// March here, so that the leap day is a year's last, and repeat every 400 years (146,097 days).
fn civil(days: i64) -> (i64, i64, i64) {
    let from_march_0000 = days + 719_468;
    let era = from_march_0000.div_euclid(146_097);
    let day = from_march_0000.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let january_or_february = i64::from(month >= 10);
    (era * 400 + year + january_or_february, month + 3 - 12 * january_or_february, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let check = |seconds, text| assert_eq!(rfc3339(seconds), text);
        check(0, "1970-01-01T00:00:00Z");
        check(-1, "1969-12-31T23:59:59Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_709_164_800, "2024-02-29T00:00:00Z");
        check(4_107_542_399, "2100-02-28T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = civil(-1);
        for days in 0..200_000 {
            let date = civil(days);
            let next_day = (last.0, last.1, last.2 + 1);
            let next_month = (last.0 + last.1 / 12, last.1 % 12 + 1, 1);
            assert!(date == next_day && date.2 <= 31 || date == next_month && last.2 >= 28, "{last:?} {date:?}");
            last = date;
        }
    }
}

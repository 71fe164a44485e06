//! Gathers the pages' files into `OUT_DIR/dist`, which `serve::pages` embeds.
//!
//! Only with the feature `page`. Installs the libraries named in `static/package-lock.json` with npm, into `OUT_DIR`
//! and without running any of their scripts, and takes from them the few files a browser loads. Compiles, bundles and
//! rewrites nothing but the comments that point to source maps.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs, io};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What npm reads; when neither changed, nothing is installed again.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];

/// Files taken from packages: path under `node_modules`. They keep their names.
const LIBRARY_FILES: [&str; 6] = [
    "maplibre-gl/dist/maplibre-gl.mjs",
    "maplibre-gl/dist/maplibre-gl-worker.mjs",
    "maplibre-gl/dist/maplibre-gl.css",
    "leaflet/dist/leaflet.js",
    "leaflet/dist/leaflet.css",
    "@maplibre/maplibre-gl-leaflet/leaflet-maplibre-gl.js",
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=static");
    if env::var_os("CARGO_FEATURE_PAGE").is_none() {
        return ExitCode::SUCCESS;
    }
    match gather() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn gather() -> Outcome {
    let pages = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("static");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let modules = installed(&pages, &out.join("npm"))?;
    let dist = out.join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist).map_err(|error| at(&dist, &error))?;
    }
    fs::create_dir_all(&dist).map_err(|error| at(&dist, &error))?;
    copy_own(&pages, &dist)?;
    for file in LIBRARY_FILES {
        copy_library(&modules.join(file), &dist)?;
    }
    write_licenses(&modules, &dist)
}

/// The `node_modules` that `static/package-lock.json` describes, installed if it is not there yet.
fn installed(pages: &Path, npm: &Path) -> Outcome<PathBuf> {
    let modules = npm.join("node_modules");
    // Written last, so that an interrupted install is repeated.
    let stamp = npm.join("installed");
    let mut wanted = Vec::new();
    for name in MANIFESTS {
        wanted.extend(read(&pages.join(name))?);
    }
    if fs::read(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(modules);
    }
    fs::create_dir_all(npm).map_err(|error| at(npm, &error))?;
    for name in MANIFESTS {
        copy(&pages.join(name), &npm.join(name))?;
    }
    install(npm)?;
    fs::write(&stamp, wanted).map_err(|error| at(&stamp, &error))?;
    Ok(modules)
}

fn install(npm: &Path) -> Outcome {
    // The packages' wishes for a Node.js version concern their own tools, which never run here.
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-engine-strict"];
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let run = Command::new(program).args(arguments).current_dir(npm).stdin(Stdio::null()).output();
    let output = run.map_err(|error| needs_node(&format!("cannot run npm: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(needs_node(&format!("npm ci in {} failed ({}):\n{}", npm.display(), output.status, said.trim_end())).into())
}

fn needs_node(why: &str) -> String {
    format!(
        "{why}\n\
         the pages at / and /leaflet are built with Node.js (18 or newer) and its npm, which fetches their libraries\n\
         hint: install Node.js, or build everything but the pages with --no-default-features"
    )
}

/// Copies the pages' own files: everything in `static/` but what npm reads.
fn copy_own(pages: &Path, dist: &Path) -> Outcome {
    for entry in fs::read_dir(pages).map_err(|error| at(pages, &error))? {
        let entry = entry?;
        let name = entry.file_name();
        let web =
            Path::new(&name).extension().is_some_and(|ext| ["html", "css", "js", "svg"].iter().any(|e| ext == *e));
        if web {
            copy(&entry.path(), &dist.join(name))?;
        }
    }
    Ok(())
}

/// Copies one text file of a library, without the comment that names its source map: the map is not embedded, and
/// developer tools would ask the origin for it.
fn copy_library(from: &Path, dist: &Path) -> Outcome {
    let text = String::from_utf8(read(from)?)?;
    let kept: String = text.split_inclusive('\n').filter(|line| !line.starts_with("//# sourceMappingURL=")).collect();
    let to = dist.join(from.file_name().ok_or("a library file without a name")?);
    fs::write(&to, kept).map_err(|error| at(&to, &error).into())
}

/// Gathers the licence of every installed package: the libraries' files have others built into them.
fn write_licenses(modules: &Path, dist: &Path) -> Outcome {
    let rule = "=".repeat(72);
    let mut all =
        String::from("Libraries in the pages of immutile and what is built into them, with their licences.\n");
    for package in packages(modules)? {
        let name = package.strip_prefix(modules)?.to_string_lossy().replace('\\', "/");
        all.extend(["\n", &rule, "\n", &name, "\n\n", license(&package)?.trim_end(), "\n"]);
    }
    let to = dist.join("licenses.txt");
    fs::write(&to, all).map_err(|error| at(&to, &error).into())
}

/// The folders of the packages in `modules`, those of a scope (`@scope/name`) included, in order.
fn packages(modules: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in sorted(modules)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('@') {
            found.extend(sorted(&folder)?);
        } else if !name.starts_with('.') {
            found.push(folder);
        }
    }
    Ok(found)
}

/// The text of a package's licence file, or a pointer to what its manifest says where it has none.
fn license(package: &Path) -> Outcome<String> {
    for file in sorted(package)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if name.starts_with("LICENSE") || name.starts_with("LICENCE") {
            return Ok(String::from_utf8(read(&file)?)?);
        }
    }
    let manifest = String::from_utf8(read(&package.join("package.json"))?)?;
    let named = manifest.lines().find(|line| line.trim_start().starts_with("\"license\""));
    Ok(named.unwrap_or("no licence stated").trim().to_owned())
}

fn sorted(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| at(path, &error).into())
}

/// Writes a fresh file instead of copying permissions: a read-only checkout must not leave a read-only copy.
fn copy(from: &Path, to: &Path) -> Outcome {
    fs::write(to, read(from)?).map_err(|error| at(to, &error).into())
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

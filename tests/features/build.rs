//! Has dependencies, so that their features are those of the target; see the manifest.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}

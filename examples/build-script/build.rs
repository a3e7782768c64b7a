//! Generates the adapters of the shop.

fn main() {
    toolwright_generator::build::Build::new("specs/shop.yaml")
        .overlay("specs/shop.overlay.toml")
        .run();
}

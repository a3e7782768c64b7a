use toolwright::tools;

#[tools]
struct Warehouse {
    tables: Vec<String>,
}

fn main() {}

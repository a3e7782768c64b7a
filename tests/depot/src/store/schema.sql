-- What Depot keeps. Tags, locations and attributes are JSON; times are RFC 3339 in UTC.
CREATE TABLE IF NOT EXISTS items (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    sku TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL CHECK (status IN ('in_stock', 'reserved', 'shipped')),
    quantity INTEGER NOT NULL CHECK (quantity >= 0),
    unit_price REAL,
    weight_kg REAL,
    received_on TEXT,
    tags TEXT NOT NULL,
    location TEXT,
    attributes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    search_text TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS comments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS comments_of_an_item ON comments (item_id, seq);

CREATE TABLE IF NOT EXISTS files (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    filename TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    uploaded_at TEXT NOT NULL,
    content BLOB NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS files_of_an_item ON files (item_id, seq);

-- Creations that named themselves with an idempotency key, and what they answered.
CREATE TABLE IF NOT EXISTS creations (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    answer TEXT NOT NULL
) STRICT;

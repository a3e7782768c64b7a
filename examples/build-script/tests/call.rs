//! Calls a generated adapter through the registry and reads the typed result.

#![cfg(test)]

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{
    Credentials, Registry, Role, ServiceName, audit::MemoryAudit, config::ServiceConfig,
};
use toolwright_example_build_script::shop::{ListShopItems, TOOLS};

/// Answers one request with two items and returns the first line of the request.
async fn answer_once(listener: TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 4096];
    let length = stream.read(&mut request).await.unwrap();
    let body = r#"[{"id": "1", "name": "bolt", "price": 0.5}, {"id": "2", "name": "nut"}]"#;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await.unwrap();
    let request = String::from_utf8_lossy(&request[..length]);
    request.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn a_typed_call_reaches_the_service() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let service = ServiceConfig {
        base_url: Some(base_url),
        ..ServiceConfig::default()
    };
    let registry = Registry::builder()
        .embedded(TOOLS)
        .grant("reader", "category:observe")
        .service(ServiceName::new("shop").unwrap(), service)
        .credentials(Credentials::new(folder.path()))
        .audit(Arc::new(MemoryAudit::default()))
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("reader").unwrap());
    let names: Vec<String> = view
        .specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect();
    assert_eq!(names, ["list-shop-items"]);

    let call = ListShopItems::default().with_limit(2);
    let (items, request) = tokio::join!(view.call(call), answer_once(listener));
    assert_eq!(request, "GET /items?limit=2&currency=EUR HTTP/1.1");
    let items = items.unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(items[0].name, "bolt");
}

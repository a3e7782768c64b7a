// The operations of the test in Express. Each response contains the operation that was reached.
const express = require("express");
const methodOverride = require("method-override");

const app = express();
app.use(methodOverride("X-HTTP-Method-Override", { methods: null }));
app.use(methodOverride("_method", { methods: null }));
app.set("query parser", "extended");

const reached = (op) => (request, response) =>
  response.json({ op, method: request.method, project: [request.query.project_id].flat() });

app.get("/ready", (request, response) => response.send("ready"));
app.all("/items/search", reached("search"));
app.all("/items/:id", (request, response) =>
  reached(request.params.id.endsWith(":cancel") ? "cancel" : "item")(request, response));
app.all("/items/:id/secrets", reached("secrets"));
app.all("/items/:id/notes", reached("notes"));
app.use(reached("other"));
app.use((error, request, response, next) => response.status(400).json({ op: "refused" }));
app.listen(Number(process.argv[2]), "127.0.0.1");

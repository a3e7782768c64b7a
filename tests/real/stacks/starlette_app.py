"""The operations of the test in Starlette. Each response contains the operation that was reached."""
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route


def reached(request, op):
    project = request.query_params.getlist("project_id")
    return JSONResponse({"op": op, "method": request.method, "project": project})


def operation(op):
    async def handler(request):
        return reached(request, op)

    return handler


async def ready(request):
    return PlainTextResponse("ready")


METHODS = ["GET", "DELETE"]
app = Starlette(
    routes=[
        Route("/ready", ready),
        Route("/items/search", operation("search"), methods=METHODS),
        Route("/items/{id}:cancel", operation("cancel"), methods=METHODS),
        Route("/items/{id}", operation("item"), methods=METHODS),
        Route("/items/{id}/secrets", operation("secrets"), methods=METHODS),
        Route("/items/{id}/notes", operation("notes"), methods=METHODS),
        Route("/{path:path}", operation("other"), methods=METHODS),
    ]
)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")

"""The operations of the test in Flask. Each response contains the operation that was reached."""
import sys

from flask import Flask, jsonify, request
from waitress import serve

app = Flask(__name__)


def reached(op):
    return jsonify(op=op, method=request.method, project=request.args.getlist("project_id"))


@app.route("/ready")
def ready():
    return "ready"


@app.route("/items/search", methods=["GET", "DELETE"])
def search():
    return reached("search")


@app.route("/items/<id>", methods=["GET", "DELETE"])
def item(id):
    return reached("cancel" if id.endswith(":cancel") else "item")


@app.route("/items/<id>/secrets", methods=["GET", "DELETE"])
def secrets(id):
    return reached("secrets")


@app.route("/items/<id>/notes", methods=["GET", "DELETE"])
def notes(id):
    return reached("notes")


@app.route("/", defaults={"path": ""}, methods=["GET", "DELETE"])
@app.route("/<path:path>", methods=["GET", "DELETE"])
def other(path):
    return reached("other")


serve(app, host="127.0.0.1", port=int(sys.argv[1]), threads=8, _quiet=True)

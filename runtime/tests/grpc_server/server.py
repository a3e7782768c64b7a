"""A server of the shelf, with reflection. It prints its ports, without and with TLS."""

import sys
import time

import grpc
from concurrent import futures
from google.protobuf import any_pb2, empty_pb2, field_mask_pb2, struct_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

import shelf_pb2
import shelf_pb2_grpc


class Shelf(shelf_pb2_grpc.ShelfServicer):
    def __init__(self):
        self.books = {}
        self.failures = 0

    def GetBook(self, request, context):
        if request.name not in self.books:
            detail = any_pb2.Any()
            detail.Pack(shelf_pb2.Author(given_name="nobody"))
            other = any_pb2.Any()
            other.Pack(error_details_pb2.ErrorInfo(reason="NO_BOOK"))
            status = status_pb2.Status(
                code=5, message="there is no " + request.name, details=[detail, other]
            )
            context.abort_with_status(rpc_status.to_status(status))
        return self.books[request.name]

    def ListBooks(self, request, context):
        books = [self.books[name] for name in sorted(self.books)]
        start = int(request.page_token or "0")
        size = request.page_size or len(books)
        following = start + size
        token = str(following) if following < len(books) else ""
        return shelf_pb2.ListBooksResponse(
            books=books[start:following], next_page_token=token
        )

    def UpdateBook(self, request, context):
        book = self.books.get(request.book.name, shelf_pb2.Book(name=request.book.name))
        if request.update_mask.paths:
            request.update_mask.MergeMessage(request.book, book, True, True)
        else:
            book.CopyFrom(request.book)
        if not book.HasField("attachment"):
            book.attachment.Pack(shelf_pb2.Author(given_name="packed"))
        self.books[book.name] = book
        return book

    def DeleteBook(self, request, context):
        self.books.pop(request.name, None)
        return empty_pb2.Empty()

    def ListPages(self, request, context):
        number = 0
        while request.count < 0 or number < request.count:
            time.sleep(request.pause.seconds + request.pause.nanos / 1e9)
            number += 1
            yield shelf_pb2.Page(number=number)

    def GetCall(self, request, context):
        time.sleep(request.pause.seconds + request.pause.nanos / 1e9)
        if request.status == 14:
            self.failures += 1
            if self.failures % 2:
                context.abort(grpc.StatusCode.UNAVAILABLE, "come back")
        elif request.status:
            code = [one for one in grpc.StatusCode if one.value[0] == request.status]
            metadata = dict(context.invocation_metadata())
            context.abort(code[0], "refused " + metadata.get("authorization", ""))
        answer = struct_pb2.Struct()
        for key, value in context.invocation_metadata():
            answer[key] = value
        answer["deadline"] = context.time_remaining() or 0
        answer["failures"] = self.failures
        return answer


def main():
    key, chain = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
    shelf_pb2_grpc.add_ShelfServicer_to_server(Shelf(), server)
    names = (
        shelf_pb2.DESCRIPTOR.services_by_name["Shelf"].full_name,
        reflection.SERVICE_NAME,
    )
    reflection.enable_server_reflection(names, server)
    plain = server.add_insecure_port("127.0.0.1:0")
    credentials = grpc.ssl_server_credentials([(key, chain)])
    secure = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    print(plain, secure, flush=True)
    server.wait_for_termination()


main()

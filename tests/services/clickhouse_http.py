#!/usr/bin/env python3
"""The HTTP interface of ClickHouse over the in-process ClickHouse engine of `chdb-core`. For tests, on loopback.

The engine (parser, formats, MergeTree family, materialized views, insert deduplication, error codes) is the real
one; the HTTP layer in this file stands in for the server's. Run with `--port 0` it picks a free port. When it serves,
it prints `ready PORT version V`.

One engine per process, one fresh engine connection per request: URL settings, `database=` and `readonly` apply to
that request alone, and requests run in parallel. `session_id=` keeps a connection. The body of an INSERT (any format;
chunked or not; `decompress=1` blocks; Content-Encoding gzip, deflate, lz4) is read whole, then written.

Users (header, basic authentication or URL), see USERS:
  default   no password                  writer    the password has a quote, a colon, a hash and a blank
  reader    readonly=1: code 164         viewer    may not INSERT: code 497
  a wrong password or an unknown user is code 516.

Endpoints. A test takes a port of its own, so that its faults and its log are its own too:
  POST /_endpoint          opens another port on the same engine; answers with the port
  DELETE /_endpoint        closes the port it was sent to
  POST /_down?ms=T         this port refuses and cuts connections for T ms, from the end of this answer on
  GET /_inserts            JSON: each INSERT this port was sent, oldest first; [?match=REGEX on the SQL]; DELETE forgets
  GET /_stats              JSON: requests, inserts, errors of this port

Faults, armed for this port:
  POST /_fault?mode=M      answers with the fault's id; the options:
      match=REGEX          on the SQL, default: every query          count=N   how often, default 1; 0: until deleted
      code=C               error code, default 252                   text=T    the message, default: the server's own
      status=S             HTTP status, default: that of the code    ms=T      for delay and down
  M = error        answers with exception C                          (error_before, error_after ...: the part behind
      header_200   HTTP 200, exception C in the header only           the mode says whether the query is executed
      body_200     HTTP 200, exception C in the body only             before the fault strikes; default: it is not)
      http         status S and text T, as a proxy answers: no exception code
      drop         closes the connection without an answer
      cut          HTTP 200, then closes the connection within the chunked body
      delay        waits T ms, then goes on as usual
      down         as drop, and this port is down for T ms
  GET /_fault              JSON: the armed faults: [{"id", "mode", "left", "struck"}]
  DELETE /_fault[?id=I]    disarms one, or all of this port

Not here: native TCP, quotas, roles, streamed results, progress headers, replicated tables, system.query_log.
"""

import argparse
import base64
import dataclasses
import gzip
import http.server
import json
import os
import random
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse
import uuid
import zlib

import chdb._chdb as engine
import lz4.block
import lz4.frame
from clickhouse_cityhash.cityhash import CityHash128


@dataclasses.dataclass(frozen=True)
class User:
    password: str = ""
    readonly: bool = False
    may_insert: bool = True


USERS = {
    "default": User(),
    "writer": User(password="p'ss: w\"rd#1"),
    "reader": User(password="reader", readonly=True),
    "viewer": User(password="viewer", may_insert=False),
}

# URL parameters that are no settings.
RESERVED = {
    "buffer_size", "client_protocol_version", "close_session", "compress", "database", "decompress", "default_format",
    "enable_http_compression", "http_write_exception_in_output_format", "password", "query", "query_id", "quota_key",
    "role", "session_check", "session_id", "session_timeout", "stacktrace", "user", "wait_end_of_query",
}  # fmt: skip

# Error code to HTTP status, as the server's HTTPHandler maps them; anything else is 500.
STATUS_400 = {6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676}
STATUS_404 = {46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511}
STATUS = {
    48: 501, 76: 503, 159: 408, 192: 403, 193: 403, 194: 401, 209: 503, 229: 413, 381: 411, 439: 503, 497: 403, 512: 403, 516: 403,
}  # fmt: skip

# What the server says with some codes, for injected errors.
TEXTS = {
    159: "Timeout exceeded: elapsed 30.001 seconds, maximum: 30",
    202: "Too many simultaneous queries. Maximum: 100",
    210: "I/O error: Broken pipe",
    241: "(total) memory limit exceeded: would use 9.31 GiB, maximum: 9.00 GiB",
    242: "Table is in readonly mode",
    252: "Too many parts (3000 with average size of 1.00 MiB) in table. Merges are processing significantly slower than inserts",
}

BEFORE_SQL = rb"^\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*"
INSERT = re.compile(BEFORE_SQL + rb"INSERT\s+INTO\b", re.I | re.S)
READING = re.compile(BEFORE_SQL + rb"(?:SELECT|WITH|SHOW|DESC|DESCRIBE|EXISTS|EXPLAIN|SET|USE)\b", re.I | re.S)
INSERT_SELECT = re.compile(r"^\s*INSERT\s+INTO\s+.*?(?:\bSELECT\b|\bWITH\b)", re.I | re.S)
INSERT_VALUES = re.compile(r"\sVALUES\s*\(|\)\s*VALUES\s*\(", re.I)
FORMAT_AT_END = re.compile(r"\s+FORMAT\s+([A-Za-z0-9_]+)\s*;?\s*$", re.I | re.S)
# The end of the SQL in a body that goes on with data.
FORMAT_THEN_DATA = re.compile(rb"\sFORMAT\s+([A-Za-z0-9_]+)(?:[ \t]*\r?\n|[ \t])", re.I)
PIECE = 1 << 20


class QueryError(Exception):
    """An error as the engine words it: `Code: N. DB::Exception: text. (NAME)`."""

    def __init__(self, text, status=None):
        super().__init__(text.strip())
        code = re.search(r"Code:\s*(\d+)", text)
        self.code = int(code.group(1)) if code else 1002
        self.status = status or STATUS.get(self.code) or (400 if self.code in STATUS_400 else 404 if self.code in STATUS_404 else 500)


def query_error(code, name, text):
    return QueryError(f"Code: {code}. DB::Exception: {text}. ({name})")


# ---- Compression ------------------------------------------------------------------------------


def checksum(block):
    hash = CityHash128(block)
    return struct.pack("<QQ", hash >> 64, hash & (1 << 64) - 1)


def to_blocks(data):
    """ClickHouse compressed blocks: checksum, 0x82, size with header, raw size, lz4 block."""
    out = []
    for start in range(0, len(data), PIECE):
        raw = data[start : start + PIECE]
        packed = lz4.block.compress(raw, store_size=False)
        block = struct.pack("<BII", 0x82, len(packed) + 9, len(raw)) + packed
        out.append(checksum(block) + block)
    return b"".join(out)


class BlockReader:
    """Undoes `to_blocks`, as the data comes in."""

    def __init__(self):
        self.pending = bytearray()

    def feed(self, data):
        self.pending += data
        out, at = [], 0
        while len(self.pending) - at >= 25:
            method, size, raw_size = struct.unpack_from("<BII", self.pending, at + 16)
            if len(self.pending) - at < 16 + size:
                break
            block = bytes(self.pending[at + 16 : at + 16 + size])
            if checksum(block) != bytes(self.pending[at : at + 16]):
                raise query_error(40, "CHECKSUM_DOESNT_MATCH", "Checksum doesn't match: corrupted data")
            if method == 0x82:
                out.append(lz4.block.decompress(block[9:], uncompressed_size=raw_size))
            elif method == 0x02:
                out.append(block[9:])
            else:
                raise query_error(89, "UNKNOWN_COMPRESSION_METHOD", f"Unknown compression method: {method}")
            at += 16 + size
        del self.pending[:at]
        return b"".join(out)

    def end(self):
        if self.pending:
            raise query_error(33, "CANNOT_READ_ALL_DATA", "Cannot read all data: truncated compressed block")


class EncodingReader:
    """Undoes a Content-Encoding, as the data comes in. A body that is cut within it is an error."""

    def __init__(self, encoding):
        if encoding in ("gzip", "x-gzip"):
            self.codec = zlib.decompressobj(31)
        elif encoding == "deflate":
            self.codec = zlib.decompressobj()
        elif encoding == "lz4":
            self.codec = lz4.frame.LZ4FrameDecompressor()
        else:
            raise query_error(48, "NOT_IMPLEMENTED", f"Unknown compression method: {encoding}")

    def feed(self, data):
        if self.codec.eof:
            raise query_error(354, "ZLIB_INFLATE_FAILED", "data after the end of the compressed body")
        try:
            return self.codec.decompress(data)
        except (zlib.error, RuntimeError) as error:
            raise query_error(354, "ZLIB_INFLATE_FAILED", f"cannot decompress the body: {error}") from error

    def end(self):
        if not self.codec.eof:
            raise query_error(354, "ZLIB_INFLATE_FAILED", "the compressed body is cut short")


# ---- Ports, faults, logs ----------------------------------------------------------------------


@dataclasses.dataclass
class Fault:
    id: int
    mode: str
    executed: bool
    match: re.Pattern
    count: int
    code: int
    text: str
    status: int
    ms: int
    struck: int = 0

    MODES = ("error", "header_200", "body_200", "http", "drop", "cut", "delay", "down")

    @classmethod
    def parse(cls, id, params):
        known = {"mode", "match", "count", "code", "text", "status", "ms"}
        if unknown := set(params) - known:
            raise ValueError(f"unknown option of a fault: {sorted(unknown)}")
        mode, _, when = params.get("mode", "").rpartition("_")
        if when not in ("before", "after"):
            mode, when = params.get("mode", ""), "before"
        if mode not in cls.MODES:
            raise ValueError(f"unknown mode of a fault: {params.get('mode')!r}")
        return cls(
            id=id,
            mode=mode,
            executed=when == "after",
            match=re.compile(params.get("match", ""), re.I | re.S),
            count=int(params.get("count", 1)),
            code=int(params.get("code", 252)),
            text=params.get("text", ""),
            status=int(params.get("status", 0)),
            ms=int(params.get("ms", 0)),
        )

    def armed(self):
        return self.count == 0 or self.struck < self.count

    def error(self, front):
        text = self.text or TEXTS.get(self.code, "injected fault")
        return QueryError(f"Code: {self.code}. DB::Exception: {text}. ({front.error_name(self.code)})", self.status)

    def summary(self):
        return {"id": self.id, "mode": self.mode, "left": self.count - self.struck if self.count else None, "struck": self.struck}


class Front:
    """The engine, and what all ports share."""

    def __init__(self, host, path):
        self.host, self.path = host, path
        self.root = engine.connect(path)
        self.version = self.root.query("SELECT version()", "TSVRaw").bytes().decode().strip()
        self.root.query("CREATE DATABASE IF NOT EXISTS default", "TSV")
        self.lock = threading.Lock()
        self.sessions = {}

    def error_name(self, code):
        with self.lock:
            return self.root.query(f"SELECT errorCodeToName({code})", "TSVRaw").bytes().decode().strip()

    def connect(self):
        return engine.connect(self.path)

    def session(self, id):
        with self.lock:
            if id not in self.sessions:
                self.sessions[id] = self.connect()
            return self.sessions[id]


class Endpoint:
    """One port. Its faults, its log of inserts and its counts belong to it alone."""

    def __init__(self, front, port):
        self.front = front
        self.lock = threading.Lock()
        self.connections, self.faults, self.inserts = set(), [], []
        self.stats = {"requests": 0, "inserts": 0, "errors": 0}
        self.fault_count = 0
        self.listener = None
        self.port = port or self.open_any()
        if port:
            self.open()

    def open_any(self):
        """A random port below those the kernel hands out, so that nobody takes it while this one is down."""
        for _ in range(100):
            self.port = random.randrange(20000, 32000)
            try:
                self.open()
                return self.port
            except OSError:
                continue
        raise OSError("no free port between 20000 and 32000")

    def open(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((self.front.host, self.port))
        listener.listen(256)
        self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                connection, address = listener.accept()
            except OSError:
                return
            with self.lock:
                open = self.listener is listener
                if open:
                    self.connections.add(connection)
            if not open:
                connection.close()
                return
            threading.Thread(target=self.serve, args=(connection, address), daemon=True).start()

    def serve(self, connection, address):
        try:
            Handler(connection, address, self)
        except (OSError, ValueError):
            pass  # The peer is gone, or this port went down.
        finally:
            with self.lock:
                self.connections.discard(connection)
            close_socket(connection)

    def close(self):
        with self.lock:
            listener, self.listener = self.listener, None
            connections = list(self.connections)
        if listener:
            close_socket(listener)
        for connection in connections:
            shut_socket(connection)

    def down(self, ms):
        self.close()
        timer = threading.Timer(ms / 1000, self.open)
        timer.daemon = True
        timer.start()

    def arm(self, params):
        with self.lock:
            fault = Fault.parse(self.fault_count + 1, params)
            self.fault_count += 1
            self.faults.append(fault)
            return fault.id

    def disarm(self, id):
        with self.lock:
            self.faults = [fault for fault in self.faults if id and fault.id != int(id)]

    def strike(self, sql):
        """The first armed fault that matches, counted as struck."""
        with self.lock:
            for fault in self.faults:
                if fault.armed() and fault.match.search(sql):
                    fault.struck += 1
                    return fault
        return None


def shut_socket(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def close_socket(connection):
    shut_socket(connection)
    connection.close()


# ---- Requests ---------------------------------------------------------------------------------


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection. `self.server` is its Endpoint."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "chdb-http", ""
    wbufsize = 1 << 16

    def setup(self):
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().setup()

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.respond()

    do_HEAD = do_POST = do_DELETE = do_GET

    def respond(self):
        url = urllib.parse.urlsplit(self.path)
        self.params = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        self.query_id = self.params.get("query_id") or self.headers.get("X-ClickHouse-Query-Id") or str(uuid.uuid4())
        self.body = self.raw_body()
        if url.path.startswith("/_"):
            return self.control(self.command, url.path)
        self.server.stats["requests"] += 1
        if url.path in ("/ping", "/replicas_status") or (self.command != "POST" and not self.params.get("query")):
            return self.answer(200, b"Ok.\n")
        return self.query()

    # The body.

    def raw_body(self):
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            yield from self.raw_chunks()
            return
        left = int(self.headers.get("Content-Length") or 0)
        while left:
            data = self.rfile.read(min(left, PIECE))
            if not data:
                raise ConnectionError("the body is cut short")
            left -= len(data)
            yield data

    def raw_chunks(self):
        while True:
            line = self.rfile.readline(1024)
            if not line:
                raise ConnectionError("the body is cut short")
            size = int(line.split(b";")[0].strip() or b"0", 16)
            if size == 0:
                while self.rfile.readline(4096) not in (b"\r\n", b"\n", b""):
                    pass
                return
            data = self.rfile.read(size)
            if len(data) < size or not self.rfile.readline(4):
                raise ConnectionError("the body is cut short")
            yield data

    def plain_body(self):
        """The body, with its Content-Encoding and its compressed blocks undone."""
        encoding = (self.headers.get("Content-Encoding") or "").lower()
        readers = [EncodingReader(encoding)] if encoding not in ("", "identity") else []
        if self.params.get("decompress") == "1":
            readers.append(BlockReader())
        for data in self.body:
            for reader in readers:
                data = reader.feed(data) if data else data
            if data:
                yield data
        for reader in readers:
            reader.end()

    def drain(self):
        """Reads what is left of the body, so that the connection can serve another request."""
        try:
            for _ in self.body:
                pass
        except (OSError, ValueError):
            self.close_connection = True

    # Answers.

    def answer(self, status, body, headers=(), content_type="text/plain; charset=UTF-8"):
        self.start_answer(status, content_type, [*headers, ("Content-Length", str(len(body)))])
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def start_answer(self, status, content_type, headers):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("X-ClickHouse-Server-Display-Name", "chdb")
        self.send_header("X-ClickHouse-Query-Id", self.query_id)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def answer_error(self, error):
        self.server.stats["errors"] += 1
        self.answer(error.status, self.error_text(error), [("X-ClickHouse-Exception-Code", str(error.code))])

    def error_text(self, error):
        version = "" if "(version" in str(error) else f" (version {self.server.front.version} (official build))"
        return f"{error}{version}\n".encode()

    def cut(self):
        """Closes the connection without a further byte."""
        self.close_connection = True
        shut_socket(self.connection)

    def encode_result(self, body):
        """The answer's body and the headers that go with it, compressed as the request asks."""
        if self.params.get("compress") == "1":
            return to_blocks(body), []
        accepted = self.headers.get("Accept-Encoding") or ""
        if self.params.get("enable_http_compression") == "1" and "gzip" in accepted:
            return gzip.compress(body, 1), [("Content-Encoding", "gzip")]
        return body, []

    # The control paths.

    def control(self, verb, path):
        endpoint = self.server
        self.drain()
        after = None
        try:
            if (verb, path) == ("POST", "/_endpoint"):
                text = str(Endpoint(endpoint.front, 0).port)
            elif (verb, path) == ("DELETE", "/_endpoint"):
                text, after = "Ok.", endpoint.close
            elif (verb, path) == ("POST", "/_down"):
                ms = int(self.params["ms"])
                text, after = "Ok.", lambda: endpoint.down(ms)
            elif (verb, path) == ("POST", "/_fault"):
                text = str(endpoint.arm(self.params))
            elif (verb, path) == ("GET", "/_fault"):
                text = json.dumps([fault.summary() for fault in endpoint.faults if fault.armed()])
            elif (verb, path) == ("DELETE", "/_fault"):
                endpoint.disarm(self.params.get("id"))
                text = "Ok."
            elif (verb, path) == ("GET", "/_inserts"):
                wanted = re.compile(self.params.get("match", ""), re.I | re.S)
                text = json.dumps([insert for insert in list(endpoint.inserts) if wanted.search(insert["sql"])])
            elif (verb, path) == ("DELETE", "/_inserts"):
                endpoint.inserts.clear()
                text = "Ok."
            elif (verb, path) == ("GET", "/_stats"):
                text = json.dumps(endpoint.stats)
            else:
                return self.answer(404, f"no such control: {verb} {path}\n".encode())
        except (ValueError, KeyError, re.error) as error:
            return self.answer(400, f"{type(error).__name__}: {error}\n".encode())
        json_answer = text.startswith(("[", "{"))
        self.answer(200, text.encode() + b"\n", content_type="application/json" if json_answer else "text/plain; charset=UTF-8")
        if after:
            after()

    # Queries.

    def query(self):
        fault = record = None
        try:
            user = self.authenticate()
            sql, data = self.split_body()
            fault = self.server.strike(sql)
            if INSERT.match(sql.encode()):
                record = self.log_insert(sql, fault)
            if fault and not fault.executed and not self.inflict(fault, record, ("", b"", [])):
                return
            body, headers = self.execute(user, sql, data, record)
            self.drain()
            if fault and fault.executed and not self.inflict(fault, record, (sql, body, headers)):
                return
            if record:
                record["status"] = 200
            self.answer_result(body, headers)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:  # The engine raises RuntimeError, and this file QueryError.
            self.drain()
            error = self.as_query_error(error)
            if record:
                record.update(status=error.status, code=error.code)
            self.answer_error(error)

    def answer_result(self, body, headers):
        kind = "application/octet-stream" if b"\0" in body[:64] else "text/plain; charset=UTF-8"
        body, encoding = self.encode_result(body)
        self.answer(200, body, headers + encoding, kind)

    def as_query_error(self, error):
        if isinstance(error, QueryError):
            return error
        text = str(error)
        if "Code:" not in text:
            text = f"Code: 1002. DB::Exception: {type(error).__name__}: {text}. (UNKNOWN_EXCEPTION)"
        # The engine has one user, and reads the body as a file: the server names who asked, and knows no file.
        text = re.sub(r"^(Code: \d+\. DB::Exception: )\1", r"\1", text)
        text = re.sub(r": \(in file/uri [^)]*\)|(?:: While executing File)?: data for INSERT was parsed from file", "", text)
        return QueryError(text.replace("DB::Exception: default: ", f"DB::Exception: {self.user_name}: "))

    def log_insert(self, sql, fault):
        self.server.stats["inserts"] += 1
        record = {
            "sql": sql,
            "params": {name: value for name, value in self.params.items() if name not in ("query", "password")},
            "user": self.user_name,
            "encoding": self.headers.get("Content-Encoding"),
            "fault": f"{fault.mode}_{'after' if fault.executed else 'before'}" if fault else None,
            "executed": False,
            "rows": 0,
            "bytes": 0,
            "status": None,
            "code": 0,
        }
        self.server.inserts.append(record)
        return record

    def inflict(self, fault, record, result):
        """Lets a fault strike. True: go on as if nothing had happened."""
        if fault.mode == "delay":
            time.sleep(fault.ms / 1000)
            return True
        self.drain()
        if fault.mode in ("drop", "down"):
            self.cut()
            if fault.mode == "down":
                self.server.down(fault.ms)
            return False
        if fault.mode == "error":
            raise fault.error(self.server.front)
        if fault.mode == "http":
            status, text = fault.status or 502, fault.text or "Bad Gateway"
            if record:
                record["status"] = status
            self.answer(status, f"{text}\n".encode())
            return False
        self.spoil(fault, record, *result)
        return False

    def spoil(self, fault, record, sql, body, headers):
        """Answers with HTTP 200, and an exception or an end where none is expected."""
        if record:
            record["status"] = 200
        error = fault.error(self.server.front)
        if fault.mode == "header_200":
            self.answer(200, b"", [*headers, ("X-ClickHouse-Exception-Code", str(error.code))])
        elif fault.mode == "body_200":
            self.answer(200, body + self.error_text(error), headers)
        else:
            body, encoding = self.encode_result(body)
            part = body[: len(body) // 2] or b"\n"
            self.start_answer(200, "text/plain; charset=UTF-8", [*headers, *encoding, ("Transfer-Encoding", "chunked")])
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
            self.cut()

    def authenticate(self):
        name = self.headers.get("X-ClickHouse-User") or self.params.get("user")
        password = self.headers.get("X-ClickHouse-Key") or self.params.get("password")
        basic = self.headers.get("Authorization") or ""
        if basic.startswith("Basic "):
            name, _, password = base64.b64decode(basic[6:]).decode().partition(":")
        self.user_name = name or "default"
        user = USERS.get(self.user_name)
        if user is None or (password or "") != user.password:
            text = f"{self.user_name}: Authentication failed: password is incorrect, or there is no user with such name"
            raise query_error(516, "AUTHENTICATION_FAILED", text)
        return user

    def split_body(self):
        """The SQL, and an iterator over the data of an INSERT."""
        body = self.plain_body()
        form = re.search(r'multipart/form-data;.*boundary="?([^";]+)', self.headers.get("Content-Type") or "")
        if form:
            self.read_form(form.group(1).encode(), b"".join(body))
            body = iter(())
        sql = self.params.get("query", "").strip()
        if INSERT.match(sql.encode()):
            return sql, body
        head = b""
        for data in body:
            head += data
            if not sql and INSERT.match(head) and (end := FORMAT_THEN_DATA.search(head)):
                return head[: end.end(1)].decode(), chain_bytes(head[end.end() :], body)
        return "\n".join(part for part in (sql, head.decode().strip()) if part), iter(())

    def read_form(self, boundary, body):
        for part in body.split(b"--" + boundary)[1:-1]:
            head, _, value = part.partition(b"\r\n\r\n")
            if name := re.search(rb'name="([^"]+)"', head):
                self.params[name.group(1).decode()] = value[:-2].decode()

    def execute(self, user, sql, data, record):
        session = self.params.get("session_id")
        connection = self.server.front.session(session) if session else self.server.front.connect()
        try:
            return self.execute_on(connection, user, sql, data, record)
        finally:
            if not session:
                connection.close()

    def execute_on(self, connection, user, sql, data, record):
        begin = time.monotonic_ns()
        self.apply_settings(connection, user)
        if not user.may_insert and not READING.match(sql.encode()):
            text = f"{self.user_name}: Not enough privileges. To execute this query, it's necessary to have the grant INSERT ON {insert_target(sql)}"
            raise query_error(497, "ACCESS_DENIED", text)
        format_at_end = FORMAT_AT_END.search(sql)
        if INSERT.match(sql.encode()) and not INSERT_VALUES.search(sql) and (format_at_end or not INSERT_SELECT.match(sql)):
            body, format, summary = self.insert_body(connection, sql, data, record)
        else:
            format = self.params.get("default_format") or self.headers.get("X-ClickHouse-Format") or "TabSeparated"
            if format_at_end and not INSERT.match(sql.encode()):
                format = format_at_end.group(1)
            arguments = {name[6:]: value for name, value in self.params.items() if name.startswith("param_")}
            result = checked(connection.query(sql, format, params=arguments))
            if record:
                record.update(executed=True, rows=result.rows_written(), bytes=result.bytes_written())
            body = result.bytes()
            summary = {
                "read_rows": result.storage_rows_read(),
                "read_bytes": result.storage_bytes_read(),
                "written_rows": result.rows_written(),
                "written_bytes": result.bytes_written(),
                "result_rows": result.rows_read(),
            }
        summary["elapsed_ns"] = time.monotonic_ns() - begin
        text = json.dumps({name: str(value) for name, value in summary.items()})
        return body, [("X-ClickHouse-Summary", text), ("X-ClickHouse-Format", format)]

    def apply_settings(self, connection, user):
        database = self.params.get("database") or self.headers.get("X-ClickHouse-Database")
        if database:
            connection.query("USE `%s`" % database.replace("\\", "\\\\").replace("`", "\\`"), "TSV")
        readonly = "1" if user.readonly else None
        if user.readonly:
            connection.query("SET readonly = 1", "TSV")
        for name, value in self.params.items():
            if name in RESERVED or name.startswith("param_"):
                continue
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise query_error(115, "UNKNOWN_SETTING", f"Unknown setting '{name}'")
            if name == "readonly" and not user.readonly:
                readonly = value  # Last, because it forbids the others.
                continue
            connection.query("SET %s = '%s'" % (name, value.replace("\\", "\\\\").replace("'", "\\'")), "TSV")
        if self.command != "POST" and readonly in (None, "0"):
            readonly = "2"
        if not user.readonly and readonly not in (None, "0"):
            connection.query("SET readonly = %d" % int(readonly), "TSV")

    def insert_body(self, connection, sql, data, record):
        """Runs an INSERT whose data is the body, which is read to its end first: a body that is cut writes nothing.

        The data goes through a file in memory. The engine's own `send_insert` streams, but says nothing of what fails
        after parsing (too many parts, a constraint, a materialized view): it reports rows that it never wrote.
        """
        end = FORMAT_AT_END.search(sql)
        into = sql[: end.start()] if end else re.sub(r"\s+VALUES\s*;?\s*$", "", sql, flags=re.I)
        format = end.group(1) if end else "Values"
        settings = re.search(r"\sSETTINGS\s", into, re.I)
        into, settings = (into[: settings.start()], into[settings.start() :]) if settings else (into, "")
        file = os.memfd_create("insert")
        try:
            size = 0
            for piece in data:
                size += write_all(file, piece)
            infile = f"FROM INFILE '/proc/self/fd/{file}' COMPRESSION 'none'"
            result = checked(connection.query(f"{into} {infile}{settings} FORMAT {format}", "TSV"))
        finally:
            os.close(file)
        rows, written = result.rows_written(), result.bytes_written()
        if record:
            record.update(executed=True, rows=rows, bytes=size)
        return b"", format, {"read_rows": rows, "read_bytes": written, "written_rows": rows, "written_bytes": written}


def checked(result):
    if result.has_error():
        raise QueryError(result.error_message())
    return result


def chain_bytes(first, rest):
    if first:
        yield first
    yield from rest


def write_all(file, data):
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
    return len(data)


def insert_target(sql):
    target = re.search(r"INSERT\s+INTO\s+(?:TABLE\s+)?([^\s(]+)", sql, re.I)
    return target.group(1) if target else "*.*"


def main():
    parser = argparse.ArgumentParser(description="The ClickHouse HTTP interface over chdb-core, for tests.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8123, help="0 picks a free one")
    parser.add_argument("--path", default=":memory:", help="the data folder; only one process may open it")
    options = parser.parse_args()
    front = Front(options.host, options.path)
    endpoint = Endpoint(front, options.port)
    print(f"ready {endpoint.port} version {front.version}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.stdout.flush()
        os._exit(130)

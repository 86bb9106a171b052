"""The course's program in Python, with nothing but its standard library.

    mcp.py                        a server over stdio
    mcp.py http PORT              a server over HTTP
    mcp.py client COMMAND ARG...  a client of a server over stdio
    mcp.py client URL             a client of a server over HTTP
"""
import base64
import http.client
import http.server
import json
import queue
import re
import select
import socket
import subprocess
import sys
import threading
import time
import urllib.parse

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
INFO = {"name": "course-python", "version": "1.0.0"}


class ProtocolError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def dump(message):
    return json.dumps(message, ensure_ascii=False)


def is_id(value):
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53)


def read(text):
    """What a text is: ("request" | "notification" | "response", message), or ("refusal", the answer to it)."""
    try:
        message = json.loads(text)
    except ValueError as error:
        return "refusal", {"jsonrpc": "2.0", "error": {"code": -32700, "message": f"Not JSON: {error}"}}
    refusal = {"jsonrpc": "2.0", "error": {"code": -32600, "message": "Invalid request"}}
    if not isinstance(message, dict):
        return "refusal", refusal
    if is_id(message.get("id")):
        refusal["id"] = message["id"]
    if message.get("jsonrpc") != "2.0":
        return "refusal", refusal
    if "method" not in message and ("result" in message or "error" in message):
        return "response", message
    if not isinstance(message.get("method"), str) or not isinstance(message.get("params", {}), dict):
        return "refusal", refusal
    if "id" not in message:
        return "notification", message
    return ("request", message) if is_id(message["id"]) else ("refusal", refusal)


# ---- tools


class Call:
    """What a tool knows of its call: how to tell progress, and whether it was cancelled."""

    def __init__(self, notify, token):
        self.cancelled = threading.Event()
        self.notify = notify
        self.token = token

    def progress(self, done, total):
        if self.token is not None:
            self.notify({"jsonrpc": "2.0", "method": "notifications/progress",
                         "params": {"progressToken": self.token, "progress": done, "total": total}})


waiting = 0
waiting_lock = threading.Lock()


def fail(message):
    raise RuntimeError(message)


def refuse(_arguments, _call):
    raise ProtocolError(4050, "not on Sundays", {"day": "Sunday"})


def count(arguments, call):
    total = int(arguments["to"])
    for step in range(1, total + 1):
        call.progress(step, total)
    return f"counted to {total}"


def wait(_arguments, call):
    global waiting
    with waiting_lock:
        waiting += 1
    call.cancelled.wait()
    with waiting_lock:
        waiting -= 1
    return "cancelled"


def numbers(*names):
    return {"type": "object", "properties": {name: {"type": "number"} for name in names}, "required": list(names)}


NOTHING = {"type": "object"}
TOOLS = {
    "add": ("Adds two numbers", numbers("a", "b"), lambda arguments, _: str(arguments["a"] + arguments["b"])),
    "test_simple_text": ("Says a sentence", NOTHING, lambda *_: "This is a simple text response for testing."),
    "test_error_handling": ("Fails", NOTHING, lambda *_: fail("This tool intentionally returns an error for testing")),
    "fail": ("Fails as programs do", NOTHING, lambda *_: fail("the disk is full")),
    "refuse": ("Fails as a protocol does", NOTHING, refuse),
    "count": ("Counts, and tells how far it is", numbers("to"), count),
    "wait": ("Waits until it is cancelled", NOTHING, wait),
    "waiting": ("How many calls wait", NOTHING, lambda *_: str(waiting)),
}


def list_tools():
    return [{"name": name, "description": description, "inputSchema": schema} for name, (description, schema, _) in TOOLS.items()]


def misfit(schema, arguments):
    for name in schema.get("required", []):
        if name not in arguments:
            return f"{name} is missing"
    for name in schema.get("properties", {}):
        value = arguments.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f"{name} must be a number"
    return None


def call_tool(params, call):
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or name not in TOOLS:
        raise ProtocolError(-32602, f"Unknown tool: {name}")
    if not isinstance(arguments, dict):
        raise ProtocolError(-32602, "arguments must be an object")
    _, schema, run = TOOLS[name]
    try:
        return {"content": [{"type": "text", "text": fail(misfit(schema, arguments)) if misfit(schema, arguments) else run(arguments, call)}]}
    except ProtocolError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


# ---- the server, over either transport


def is_modern(message):
    meta = message.get("params", {}).get("_meta")
    return isinstance(meta, dict) and any(key.startswith(PREFIX) for key in meta)


class Server:
    """The server's end of one connection. Over HTTP, where each request stands alone, nothing has to be opened first."""

    def __init__(self, notify, needs_handshake):
        self.notify = notify
        self.needs_handshake = needs_handshake
        self.opened = False
        self.calls = {}

    def accept(self, text):
        """Takes a text at once. Gives what has to be done for its answer, or None; that may take its time."""
        kind, message = read(text)
        if kind == "notification" and message["method"] == "notifications/cancelled":
            call = self.calls.get(message.get("params", {}).get("requestId"))
            if call:
                call.cancelled.set()
        if kind == "refusal":
            return lambda: message
        if kind != "request":
            return None
        meta = message.get("params", {}).get("_meta")
        call = self.calls[message["id"]] = Call(self.notify, meta.get("progressToken") if isinstance(meta, dict) else None)
        # The handshake changes the connection, so it is not left to another thread.
        answer = self.handshake(message) if message["method"] == "initialize" and not is_modern(message) else None
        return (lambda: answer) if answer else (lambda: self.answer(message, call))

    def handshake(self, message):
        if self.opened and self.needs_handshake:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32600, "message": "initialize was already answered"}}
        self.opened = True
        return {"jsonrpc": "2.0", "id": message["id"],
                "result": {"protocolVersion": LEGACY, "capabilities": {"tools": {}}, "serverInfo": INFO}}

    def answer(self, message, call):
        try:
            result = self.modern(message, call) if is_modern(message) else self.legacy(message, call)
            return None if call.cancelled.is_set() else {"jsonrpc": "2.0", "id": message["id"], "result": result}
        except ProtocolError as error:
            return {"jsonrpc": "2.0", "id": message["id"], "error": error.error}
        finally:
            self.calls.pop(message["id"], None)

    def legacy(self, message, call):
        method = message["method"]
        if method == "ping":
            return {}
        if method not in ("tools/list", "tools/call"):
            raise ProtocolError(-32601, f"Method not found: {method}")
        if self.needs_handshake and not self.opened:
            raise ProtocolError(-32600, f"{method} before initialize")
        return {"tools": list_tools()} if method == "tools/list" else call_tool(message.get("params", {}), call)

    def modern(self, message, call):
        method, params = message["method"], message["params"]
        version = params["_meta"].get(PREFIX + "protocolVersion")
        if not isinstance(version, str) or PREFIX + "clientCapabilities" not in params["_meta"]:
            raise ProtocolError(-32602, "_meta needs protocolVersion and clientCapabilities")
        if version != MODERN:
            raise ProtocolError(-32022, "Unsupported protocol version", {"supported": [MODERN, LEGACY], "requested": version})
        common = {"resultType": "complete", "_meta": {PREFIX + "serverInfo": INFO}}
        kept = {"ttlMs": 0, "cacheScope": "private"}
        if method == "server/discover":
            return {**common, **kept, "supportedVersions": [MODERN, LEGACY], "capabilities": {"tools": {}}}
        if method == "tools/list":
            return {**common, **kept, "tools": list_tools()}
        if method == "tools/call":
            return {**common, **call_tool(params, call)}
        raise ProtocolError(-32601, f"Method not found: {method}")


def serve_stdio():
    lock = threading.Lock()

    def write(message):
        with lock:
            sys.stdout.buffer.write(dump(message).encode() + b"\n")
            sys.stdout.buffer.flush()

    def work(todo):
        answer = todo()
        if answer:
            write(answer)

    server = Server(write, needs_handshake=True)
    for line in sys.stdin.buffer:
        if line.strip():
            todo = server.accept(line.decode())
            if todo:
                # A daemon does not keep the program when stdin has ended.
                threading.Thread(target=work, args=(todo,), daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, message=None):
        body = dump(message).encode() if message is not None else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(405 if self.path == "/mcp" else 404)

    do_DELETE = do_GET

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        origin = self.headers.get("Origin")
        if origin is not None and not re.fullmatch(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", origin):
            return self.reply(403)
        if self.path != "/mcp":
            return self.reply(404)
        if self.headers.get_content_type() != "application/json":
            return self.reply(415)
        kind, message = read(text)
        if kind == "refusal":
            return self.reply(400, message)
        modern = kind == "request" and is_modern(message)
        wrong = self.mirror_fault(message) if modern else self.version_fault()
        if wrong:
            return self.reply(400, {"jsonrpc": "2.0", "error": wrong, **({"id": message["id"]} if kind == "request" else {})})
        server = Server(lambda _: None, needs_handshake=False)
        todo = server.accept(text)
        if not todo:
            return self.reply(202)
        if modern:
            threading.Thread(target=self.watch, args=(server,), daemon=True).start()
        answer = todo()
        if answer is None:
            self.close_connection = True
            return None
        code = answer.get("error", {}).get("code")
        status = {-32601: 404, -32022: 400}.get(code, 200) if modern else 200
        if modern and code == -32602 and "_meta" in answer["error"]["message"]:
            status = 400
        return self.reply(status, answer)

    def watch(self, server):
        """2026-07-28: the end of the connection is the end of the call."""
        while server.calls:
            readable, _, _ = select.select([self.connection], [], [], 0.1)
            if readable and server.calls:
                try:
                    gone = self.connection.recv(1, socket.MSG_PEEK) == b""
                except OSError:
                    gone = True
                if not gone:
                    return
                for call in list(server.calls.values()):
                    call.cancelled.set()
                return

    def version_fault(self):
        version = self.headers.get("MCP-Protocol-Version", LEGACY)
        return None if version == LEGACY else {"code": -32600, "message": f"Unsupported protocol version: {version}"}

    def mirror_fault(self, message):
        params = message["params"]
        wanted = {"MCP-Protocol-Version": params["_meta"].get(PREFIX + "protocolVersion"), "Mcp-Method": message["method"]}
        if message["method"] == "tools/call":
            wanted["Mcp-Name"] = params.get("name")
        for name, value in wanted.items():
            got = self.headers.get(name)
            encoded = re.fullmatch(r"=\?base64\?(.*)\?=", got or "")
            if encoded:
                got = base64.b64decode(encoded[1]).decode()
            if value is not None and got != value:
                return {"code": -32020, "message": f"Header mismatch: {name} is {got}, the body says {value}"}
        return None


def serve_http(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.serve_forever()


# ---- the client


def answer_question(message):
    method, params = message["method"], message.get("params", {})
    if method == "ping":
        return {"result": {}}
    if method != "elicitation/create":
        return {"error": {"code": -32601, "message": f"Method not found: {method}"}}
    schema = params.get("requestedSchema", {})
    fields = schema.get("properties", {})
    if any("default" not in fields.get(name, {}) for name in schema.get("required", [])):
        return {"result": {"action": "decline"}}
    return {"result": {"action": "accept", "content": {name: field["default"] for name, field in fields.items() if "default" in field}}}


class StdioLink:
    def __init__(self, command):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        for line in self.child.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def agreed(self, version):
        pass

    def send(self, message):
        self.child.stdin.write(dump(message).encode() + b"\n")
        self.child.stdin.flush()

    def request(self, message):
        self.send(message)
        # An old server may be silent until initialize.
        until = time.monotonic() + 2 if message["method"] == "server/discover" else None
        while True:
            try:
                line = self.lines.get(timeout=until and max(0, until - time.monotonic()))
            except queue.Empty:
                raise ProtocolError(0, "the server is silent") from None
            if line is None:
                break
            kind, got = read(line.decode())
            if kind == "request":
                self.send({"jsonrpc": "2.0", "id": got["id"], **answer_question(got)})
            elif kind == "response" and got.get("id") == message["id"]:
                return got
        raise ConnectionError("the server is gone")

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class HttpLink:
    def __init__(self, url):
        self.url = urllib.parse.urlsplit(url)
        self.session = None
        self.version = None

    def agreed(self, version):
        self.version = version

    def exchange(self, method, message=None):
        headers = {}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.version:
            headers["MCP-Protocol-Version"] = self.version
        if message is not None:
            headers["Content-Type"] = "application/json"
            headers["Accept"] = "application/json, text/event-stream"
            params = message.get("params", {})
            if "_meta" in params and self.version == MODERN:
                headers["Mcp-Method"] = message["method"]
                if "name" in params:
                    headers["Mcp-Name"] = self.encode(params["name"])
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port or 80)
        connection.request(method, self.url.path or "/", dump(message).encode() if message is not None else None, headers)
        response = connection.getresponse()
        self.session = self.session or response.getheader("Mcp-Session-Id")
        return response

    @staticmethod
    def encode(value):
        if re.fullmatch(r"[!-~]+", value):
            return value
        return f"=?base64?{base64.b64encode(value.encode()).decode()}?="

    def send(self, message):
        self.exchange("POST", message).read()

    def request(self, message):
        response = self.exchange("POST", message)
        if (response.getheader("Content-Type") or "").startswith("text/event-stream"):
            for data in self.events(response):
                kind, got = read(data)
                if kind == "request":
                    self.send({"jsonrpc": "2.0", "id": got["id"], **answer_question(got)})
                elif kind == "response" and got.get("id") == message["id"]:
                    return got
            raise ConnectionError("the stream ended without an answer")
        kind, got = read(response.read().decode())
        if kind == "response" and got.get("id") == message["id"]:
            return got
        if message["method"] == "server/discover":
            return {"error": {"code": 0, "message": f"status {response.status}"}}
        raise ConnectionError(f"status {response.status}")

    @staticmethod
    def events(response):
        data = []
        for line in response:
            line = line.rstrip(b"\r\n").decode()
            if line.startswith("data:"):
                data.append(line[6:] if line[5:6] == " " else line[5:])
            elif line == "":
                if "".join(data):
                    yield "\n".join(data)
                data = []

    def close(self):
        if self.session:
            self.exchange("DELETE").read()


class Client:
    def __init__(self, link):
        self.link = link
        self.ids = 0
        self.meta = None

    def ask(self, method, params):
        self.ids += 1
        if self.meta:
            params = {**params, "_meta": self.meta}
        answer = self.link.request({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        if "error" in answer:
            raise ProtocolError(answer["error"]["code"], answer["error"]["message"], answer["error"].get("data"))
        return answer["result"]

    def connect(self):
        capabilities = {"elicitation": {}}
        self.meta = {PREFIX + "protocolVersion": MODERN, PREFIX + "clientInfo": INFO, PREFIX + "clientCapabilities": capabilities}
        self.link.agreed(MODERN)
        try:
            if MODERN in self.ask("server/discover", {}).get("supportedVersions", []):
                return
        except ProtocolError as error:
            data = error.error.get("data")
            offered = data.get("supported", []) if isinstance(data, dict) else []
            if error.error["code"] in (-32020, -32021, -32022) and LEGACY not in offered:
                raise
        self.meta = None
        self.link.agreed(None)
        result = self.ask("initialize", {"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": INFO})
        if result["protocolVersion"] != LEGACY:
            raise ProtocolError(0, f"the server speaks {result['protocolVersion']}")
        self.link.agreed(LEGACY)
        self.link.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, method, params):
        """A request, in as many rounds as its result asks for."""
        result = self.ask(method, params)
        while self.meta and result.get("resultType") == "input_required":
            answers = {key: answer_question(question)["result"] for key, question in result.get("inputRequests", {}).items()}
            more = {"requestState": result["requestState"]} if "requestState" in result else {}
            result = self.ask(method, {**params, "inputResponses": answers, **more})
        if self.meta and result.get("resultType", "complete") != "complete":
            raise ProtocolError(0, f"a result of the type {result['resultType']}")
        return result

    def run(self):
        self.connect()
        tools, cursor = [], None
        while True:
            page = self.call("tools/list", {} if cursor is None else {"cursor": cursor})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                break
        tool = next((tool for tool in tools if tool["name"].startswith("add")), None)
        if tool is None:
            return 0
        result = self.call("tools/call", {"name": tool["name"], "arguments": {"a": 2, "b": 3}})
        text = "\n".join(block.get("text", "") for block in result["content"])
        print(text, file=sys.stderr if result.get("isError") else sys.stdout)
        return 1 if result.get("isError") else 0


def run_client(words):
    link = HttpLink(words[0]) if re.match("https?:", words[0]) else StdioLink(words)
    try:
        return Client(link).run()
    except (ProtocolError, ConnectionError, KeyError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        link.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        serve_http(int(sys.argv[2]))
    elif sys.argv[1:2] == ["client"]:
        sys.exit(run_client(sys.argv[2:]))
    else:
        serve_stdio()

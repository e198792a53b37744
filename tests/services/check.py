"""Checks of the test servers, with Python's clients: run it through tests/services/check."""

import http.client
import json
import os
import struct
import sys
import time
import traceback
import urllib.parse
import uuid

import lz4.block
import lz4.frame
from clickhouse_cityhash.cityhash import CityHash128

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


# ---- ClickHouse -------------------------------------------------------------------------------


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode("utf-8", "replace").strip()
        self.code = int(response.headers.get("X-ClickHouse-Exception-Code") or 0)

    def __repr__(self):
        return f"HTTP {self.status}, code {self.code}: {self.text[:200]!r}"


class Client:
    """A port of the front, with a database of its own."""

    def __init__(self, port=None, user=None, database=None):
        url = urllib.parse.urlsplit(os.environ["SPATE_TEST_CLICKHOUSE"])
        self.host, self.port, self.user = url.hostname, url.port, user
        self.database = database
        if port is None:
            self.port = int(self.control("POST", "/_endpoint").text)
            self.database = "check_" + uuid.uuid4().hex[:8]
            assert self.query(f"CREATE DATABASE {self.database}", database="default").status == 200
        else:
            self.port = port

    def control(self, verb, path, **params):
        return self.send(verb, path + "?" + urllib.parse.urlencode(params), b"", {})

    def send(self, verb, path, body, headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        connection.request(verb, path, body=body, headers=headers, encode_chunked=not isinstance(body, bytes))
        return Answer(connection.getresponse())

    def query(self, sql, body=b"", headers=None, **params):
        params = {"query": sql, "database": self.database, **params}
        headers = dict(headers or {})
        if self.user:
            headers["X-ClickHouse-User"], headers["X-ClickHouse-Key"] = self.user
        return self.send("POST", "/?" + urllib.parse.urlencode(params), body, headers)

    def table(self, rest=""):
        name = "t" + uuid.uuid4().hex[:6]
        expect(self.query(f"CREATE TABLE {name} (id UInt64, text String) ENGINE = MergeTree ORDER BY id {rest}"))
        return name

    def insert(self, table, rows, **params):
        return self.query(f"INSERT INTO {table} FORMAT RowBinary", rows, **params)

    def count(self, table):
        return int(expect(self.query(f"SELECT count() FROM {table}")).text)

    def as_user(self, name, password):
        return Client(self.port, (name, password), self.database)


def expect(answer, status=200, code=0):
    assert (answer.status, answer.code) == (status, code), f"expected HTTP {status}, code {code}; got {answer}"
    return answer


def rows(first, count):
    return b"".join(struct.pack("<Q", id) + b"\x03a\xff\x00" for id in range(first, first + count))


DEDUP = "SETTINGS non_replicated_deduplication_window = 100"


@check
def clickhouse_skips_an_insert_whose_token_it_knows():
    ch = Client()
    table = ch.table(DEDUP)
    expect(ch.insert(table, rows(0, 10), insert_deduplication_token="a"))
    expect(ch.insert(table, rows(0, 10), insert_deduplication_token="a"))
    expect(ch.insert(table, rows(50, 10), insert_deduplication_token="a"))
    assert ch.count(table) == 10
    expect(ch.insert(table, rows(0, 10), insert_deduplication_token="b"))
    assert ch.count(table) == 20
    log = json.loads(ch.control("GET", "/_inserts", match=table).text)
    assert [insert["params"]["insert_deduplication_token"] for insert in log] == ["a", "a", "a", "b"]
    assert all(insert["executed"] and insert["status"] == 200 for insert in log)
    assert log[0]["rows"] == 10 and log[0]["bytes"] == 120


@check
def clickhouse_reads_each_way_to_compress_a_body():
    ch = Client()
    table = ch.table()
    data = rows(0, 100)
    packed = lz4.block.compress(data, store_size=False)
    block = struct.pack("<BII", 0x82, len(packed) + 9, len(data)) + packed
    sum = CityHash128(block)
    block = struct.pack("<QQ", sum >> 64, sum & (1 << 64) - 1) + block
    expect(ch.insert(table, data))
    expect(ch.insert(table, block, decompress="1"))
    expect(ch.query(f"INSERT INTO {table} FORMAT RowBinary", lz4.frame.compress(data), {"Content-Encoding": "lz4"}))
    expect(ch.query(f"INSERT INTO {table} FORMAT RowBinary", iter([data[:600], data[600:]])))
    assert ch.count(table) == 400
    expect(ch.insert(table, b"\0" * 16 + block[16:], decompress="1"), 500, 40)
    expect(ch.insert(table, block[:-1], decompress="1"), 500, 33)
    expect(ch.insert(table, data[:-1]), 500, 33)
    cut = lz4.frame.compress(data)[:-8]
    assert ch.query(f"INSERT INTO {table} FORMAT RowBinary", cut, {"Content-Encoding": "lz4"}).status == 500
    assert ch.count(table) == 400


@check
def clickhouse_writes_nothing_of_a_body_that_is_cut():
    ch = Client()
    table = ch.table()
    connection = http.client.HTTPConnection(ch.host, ch.port, timeout=20)
    sql = urllib.parse.urlencode({"query": f"INSERT INTO {table} FORMAT RowBinary", "database": ch.database})
    connection.putrequest("POST", "/?" + sql)
    connection.putheader("Content-Length", "1200000")
    connection.endheaders(rows(0, 50000))
    connection.close()
    expect(ch.query("SELECT sleep(0.2)"))
    assert ch.count(table) == 0
    connection = http.client.HTTPConnection(ch.host, ch.port, timeout=20)
    connection.putrequest("POST", "/?" + sql)
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders(b"%x\r\n%s\r\n" % (1200, rows(0, 100)))
    connection.close()
    expect(ch.query("SELECT sleep(0.2)"))
    assert ch.count(table) == 0


@check
def clickhouse_answers_with_its_own_errors():
    ch = Client()
    table = ch.table()
    expect(ch.query("INSERT INTO nowhere FORMAT RowBinary", rows(0, 1)), 404, 60)
    expect(ch.query(f"INSERT INTO {table} (id, nope) FORMAT RowBinary", rows(0, 1)), 500, 16)
    expect(ch.query("SELECT 1", database="nowhere"), 404, 81)
    expect(ch.query("SELEC 1"), 400, 62)
    expect(ch.query("SELECT 1", no_such_setting="1"), 404, 115)
    assert ch.count(table) == 0
    spread = ch.table("PARTITION BY id")
    answer = expect(ch.insert(spread, rows(0, 200)), 500, 252)
    assert "Too many partitions for single INSERT block" in answer.text, answer
    assert ch.count(spread) == 0
    crowded = ch.table("SETTINGS parts_to_throw_insert = 1")
    expect(ch.insert(crowded, rows(0, 1)))
    answer = expect(ch.insert(crowded, rows(1, 1)), 500, 252)
    assert answer.text.startswith("Code: 252. DB::Exception: Too many parts (1 with"), answer
    narrow = ch.table()
    expect(ch.query(f"ALTER TABLE {narrow} ADD CONSTRAINT small CHECK id < 10"))
    expect(ch.insert(narrow, rows(0, 20)), 500, 469)
    assert ch.count(crowded) == 1 and ch.count(narrow) == 0


@check
def clickhouse_takes_any_bytes_and_every_way_to_write_an_insert():
    ch = Client()
    table = ch.table()
    odd = struct.pack("<Q", 1) + b"\x0a;\n\n\x00\xff\'\\\"FO"
    expect(ch.insert(table, odd * 10))
    expect(ch.query(f"INSERT INTO {table} (id) SETTINGS async_insert = 0 FORMAT RowBinary", struct.pack("<Q", 2)))
    expect(ch.query("", f"INSERT INTO {table} (id) FORMAT RowBinary\n".encode() + struct.pack("<Q", 2)))
    expect(ch.query(f"INSERT INTO {table} VALUES", b"(2, 'a'), (2, 'b')"))
    expect(ch.query(f"INSERT INTO {table} VALUES (2, 'c')"))
    expect(ch.query(f"INSERT INTO {table} FORMAT JSONEachRow", b'{"id": 2, "text": "d"}\n'))
    expect(ch.query(f"INSERT INTO {table} SELECT 2, 'e'"))
    expect(ch.query(f"INSERT INTO {table} FORMAT RowBinary", b""))
    answer = expect(ch.query(f"SELECT id, count(), max(hex(text)) FROM {table} GROUP BY id ORDER BY id"))
    assert answer.text == "1\t10\t3B0A0A00FF275C22464F\n2\t7\t65", answer
    expect(ch.query(f"SELECT {{n:UInt8}} + 1", param_n="41"))


@check
def clickhouse_knows_its_users():
    ch = Client()
    table = ch.table()
    expect(ch.as_user("writer", "wrong").query("SELECT 1"), 403, 516)
    expect(ch.as_user("nobody", "").query("SELECT 1"), 403, 516)
    expect(ch.as_user("writer", "p'ss: w\"rd#1").insert(table, rows(0, 1)))
    reader = ch.as_user("reader", "reader")
    assert reader.count(table) == 1
    expect(reader.insert(table, rows(0, 1)), 500, 164)
    expect(reader.insert(table, rows(0, 1), insert_deduplication_token="a"), 500, 164)
    viewer = ch.as_user("viewer", "viewer")
    assert viewer.count(table) == 1
    answer = expect(viewer.insert(table, rows(0, 1)), 403, 497)
    assert f"viewer: Not enough privileges" in answer.text and table in answer.text, answer
    assert ch.count(table) == 1


@check
def clickhouse_fails_on_demand_before_and_after():
    ch = Client()
    table = ch.table(DEDUP)

    def fault(**params):
        expect(ch.control("POST", "/_fault", match=f"INSERT INTO {table}", **params))

    token = {"insert_deduplication_token": "a"}
    fault(mode="error", code=241, count=2)
    for _ in range(2):
        answer = expect(ch.insert(table, rows(0, 10), **token), 500, 241)
        assert "MEMORY_LIMIT_EXCEEDED" in answer.text, answer
    fault(mode="drop")
    expect_cut(lambda: ch.insert(table, rows(0, 10), **token))
    fault(mode="http", status=502)
    answer = expect(ch.insert(table, rows(0, 10), **token), 502)
    assert answer.text == "Bad Gateway"
    assert ch.count(table) == 0
    fault(mode="drop_after")
    expect_cut(lambda: ch.insert(table, rows(0, 10), **token))
    assert ch.count(table) == 10
    fault(mode="header_200", code=252)
    expect(ch.insert(table, rows(50, 10), insert_deduplication_token="b"), 200, 252)
    fault(mode="body_200", code=252)
    answer = expect(ch.insert(table, rows(50, 10), insert_deduplication_token="b"), 200, 0)
    assert answer.text.startswith("Code: 252. DB::Exception: Too many parts"), answer
    fault(mode="cut_after")
    expect_cut(lambda: ch.insert(table, rows(50, 10), insert_deduplication_token="b"))
    fault(mode="delay", ms=300)
    begin = time.monotonic()
    expect(ch.insert(table, rows(50, 10), insert_deduplication_token="b"))
    assert time.monotonic() - begin >= 0.3
    assert ch.count(table) == 20
    assert json.loads(ch.control("GET", "/_fault").text) == []
    faults = [insert["fault"] for insert in json.loads(ch.control("GET", "/_inserts").text)]
    assert faults == [
        "error_before", "error_before", "drop_before", "http_before", "drop_after", "header_200_before",
        "body_200_before", "cut_after", "delay_before",
    ], faults  # fmt: skip


@check
def clickhouse_goes_down_and_comes_back():
    ch, other = Client(), Client()
    begin = time.monotonic()
    expect(ch.control("POST", "/_down", ms=700))
    refused = 0
    while True:
        try:
            expect(ch.query("SELECT 1"))
            break
        except ConnectionError:
            refused += 1
            expect(other.query("SELECT sleep(0.05)"))  # The other ports stay up.
    assert refused >= 3 and time.monotonic() - begin >= 0.7
    table = ch.table()
    expect(ch.control("POST", "/_fault", mode="down_after", ms=300, match="INSERT"))
    expect_cut(lambda: ch.insert(table, rows(0, 10)))
    expect_cut(lambda: ch.query("SELECT 1"))
    other.database = ch.database
    assert other.count(table) == 10


def expect_cut(request):
    try:
        answer = request()
    except (ConnectionError, http.client.IncompleteRead, http.client.RemoteDisconnected):
        return
    raise AssertionError(f"expected no answer; got {answer}")


# ---- Kafka ------------------------------------------------------------------------------------


def kafka(**config):
    return {"bootstrap.servers": os.environ["SPATE_TEST_KAFKA"], **config}


def new_topic(partitions, **config):
    from confluent_kafka.admin import AdminClient, NewTopic

    name = "check-" + uuid.uuid4().hex[:8]
    admin = AdminClient(kafka())
    for created in admin.create_topics([NewTopic(name, partitions, 1, config=config)]).values():
        created.result(20)
    return name


def produce(topic, values, partition=0, **config):
    from confluent_kafka import Producer

    producer, errors = Producer(kafka(**config)), []
    for value in values:
        producer.produce(topic, value, str(value), partition, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(20) == 0 and not any(errors), errors[:1]


def consumer(group, **config):
    from confluent_kafka import Consumer

    return Consumer(kafka(**{"group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False, **config}))


def read(reader, count, seconds=20):
    messages, deadline = [], time.monotonic() + seconds
    while len(messages) < count and time.monotonic() < deadline:
        messages += reader.consume(count - len(messages), 0.2)
    return messages


@check
def kafka_carries_records_and_commits():
    topic = new_topic(2)
    for partition in range(2):
        produce(topic, (f"{partition}-{n}" for n in range(1000)), partition)
    first = consumer(topic)
    first.subscribe([topic])
    got = read(first, 500)
    first.commit(asynchronous=False)
    first.close()
    second = consumer(topic)
    second.subscribe([topic])
    got += read(second, 1500)
    second.close()
    assert len({message.value() for message in got}) == len(got) == 2000, len(got)


@check
def kafka_creates_no_topic_by_itself():
    from confluent_kafka.admin import AdminClient

    name = "check-missing-" + uuid.uuid4().hex[:8]
    metadata = AdminClient(kafka()).list_topics(name, timeout=10).topics[name]
    assert metadata.error is not None and metadata.error.name() == "UNKNOWN_TOPIC_OR_PART", metadata.error


@check
def kafka_notices_a_killed_consumer_soon():
    import signal
    import subprocess

    topic = new_topic(2)
    code = (
        "import sys; from confluent_kafka import Consumer\n"
        f"c = Consumer({kafka(**{'group.id': topic, 'session.timeout.ms': 1500, 'heartbeat.interval.ms': 300})!r})\n"
        f"c.subscribe([{topic!r}])\n"
        "while not c.assignment(): c.poll(0.1)\n"
        "print('assigned', flush=True)\n"
        "while True: c.poll(0.1)\n"
    )
    member = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    member.stdout.readline()
    member.send_signal(signal.SIGKILL)
    member.wait()
    begin = time.monotonic()
    heir = consumer(topic)
    heir.subscribe([topic])
    while not heir.assignment() and time.monotonic() - begin < 20:
        heir.poll(0.1)
    heir.close()
    assert time.monotonic() - begin < 8, time.monotonic() - begin


@check
def kafka_hides_aborted_transactions():
    from confluent_kafka import Producer

    topic = new_topic(1)
    producer = Producer(kafka(**{"transactional.id": topic}))
    producer.init_transactions(20)
    for value, end in (("kept", producer.commit_transaction), ("aborted", producer.abort_transaction), ("kept too", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, value)
        producer.flush(20)
        end(20)
    committed = consumer(topic + "-c", **{"isolation.level": "read_committed"})
    committed.subscribe([topic])
    assert [message.value() for message in read(committed, 2)] == [b"kept", b"kept too"]
    committed.close()
    every = consumer(topic + "-u", **{"isolation.level": "read_uncommitted"})
    every.subscribe([topic])
    offsets = [message.offset() for message in read(every, 3)]
    every.close()
    assert len(offsets) == 3 and offsets != [0, 1, 2], offsets  # The markers take offsets.


@check
def kafka_compacts_a_topic_within_seconds():
    topic = new_topic(1, **{
        "cleanup.policy": "compact", "segment.ms": "200", "min.cleanable.dirty.ratio": "0.01",
        "min.compaction.lag.ms": "0", "max.compaction.lag.ms": "500", "delete.retention.ms": "0",
    })  # fmt: skip
    produce(topic, [str(n % 10) for n in range(1000)])
    deadline = time.monotonic() + 30
    while True:
        time.sleep(0.3)
        produce(topic, ["roll"])  # A segment is compacted once a later one is active.
        reader = consumer(topic + uuid.uuid4().hex[:4])
        reader.subscribe([topic])
        offsets = []
        while not offsets or offsets[-1] < 1000:
            offsets += [message.offset() for message in read(reader, 1)]
        reader.close()
        if len([offset for offset in offsets if offset < 1000]) == 10:
            return
        assert time.monotonic() < deadline, f"{len(offsets)} records are left"


@check
def kafka_forgets_records_on_demand():
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    topic = new_topic(1)
    produce(topic, (str(n) for n in range(100)))
    admin = AdminClient(kafka())
    for deleted in admin.delete_records([TopicPartition(topic, 0, 40)]).values():
        deleted.result(20)
    reader = consumer(topic)
    assert reader.get_watermark_offsets(TopicPartition(topic, 0), timeout=20) == (40, 100)
    reader.close()


def main():
    failed = passed = 0
    for function in CHECKS:
        server = function.__name__.partition("_")[0]
        if f"SPATE_TEST_{server.upper()}" not in os.environ:
            continue
        begin = time.monotonic()
        try:
            function()
            passed += 1
            print(f"ok      {function.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {function.__name__}\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())

# ClickHouse (the chdb engine behind clickhouse_http.py): install, start. Sourced by `run`, after common.sh.

# usable_python: prints a Python that can make virtual environments; the system's before any other on the PATH.
usable_python() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
      command -v "$python" && return
    fi
  done
  return 1
}

clickhouse_fetch() {
  local python
  python=$(usable_python) || {
    need_packages "no Python 3.9 or newer with 'venv'" python3 python3-venv
    python=$(usable_python) || die "the installed Python cannot make virtual environments"
  }
  step "ClickHouse engine: making a virtual environment" "$python" -m venv "$1"
  step "ClickHouse engine: fetching chdb-core with pip (200 MB)" \
    "$1/bin/pip" install --disable-pip-version-check --no-deps -r "$services_src/requirements.txt"
}

clickhouse_install() {
  clickhouse_dir=$(install_once clickhouse "$services_src/requirements.txt" clickhouse_fetch)
}

# clickhouse_start: sets clickhouse_pid; clickhouse_ready waits for it and sets clickhouse_port.
clickhouse_start() {
  clickhouse_log=$log_dir/clickhouse.log
  rm -rf "$data_dir/clickhouse"
  mkdir -p "$data_dir/clickhouse"
  launch "$clickhouse_log" "$clickhouse_dir/bin/python" -u "$services_src/clickhouse_http.py" \
    --port "${SPATE_TEST_CLICKHOUSE_PORT:-0}" --path "$data_dir/clickhouse"
  clickhouse_pid=$launched
}

clickhouse_ready() {
  local line
  line=$(wait_for_line "$clickhouse_pid" "$clickhouse_log" 'ready ' 60) || return
  clickhouse_port=${line#ready }
  clickhouse_port=${clickhouse_port%% *}
}

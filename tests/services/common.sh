# Shared by the scripts of this folder: messages, installs, ports, process groups. Sourced, never run.

# Where things are. `install_dir` may be shared by several checkouts (SPATE_SERVICES_DIR); logs and data never are.
services_src=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$services_src/../.." && pwd)
install_dir=${SPATE_SERVICES_DIR:-$checkout/.services}
work_dir=$checkout/.services

say() { printf 'services: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 70; }

# step TEXT CMD...: runs a long command with its output in the install log; says when it began and how long it took.
step() {
  local text=$1 begin=$SECONDS log=$install_dir/install.log
  shift
  mkdir -p "$install_dir"
  say "$text ..."
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    say "failed after $((SECONDS - begin)) s: $*"
    tail -n 30 "$log" | sed 's/^/    /' >&2
    die "$text failed; the whole output is in $log"
  fi
  say "$text: done in $((SECONDS - begin)) s"
}

# need_command COMMAND PACKAGE...: installs Debian packages, if the command is missing.
need_command() {
  local command=$1
  shift
  command -v "$command" >/dev/null && return
  need_packages "'$command' is missing" "$@"
}

need_packages() {
  local why=$1
  shift
  command -v apt-get >/dev/null || die "$why, and there is no apt-get: please install $*"
  [ "$(id -u)" = 0 ] || die "$why: please run 'apt-get install $*' as root"
  step "$why: refreshing the package lists" apt-get update -q
  step "$why: installing $*" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# install_once NAME FILE FUNCTION: calls FUNCTION DIR unless that was done before for this very content of FILE.
# Prints the folder. Several checkouts may share the folder, so one of them installs and the others wait.
install_once() {
  local name=$1 file=$2 function=$3 sum dir
  mkdir -p "$install_dir"
  sum=$(sha256sum "$file" | cut -c1-12)
  dir=$install_dir/$name-$sum
  if ! [ -e "$dir/.complete" ]; then
    (
      flock -n 9 || { say "waiting for another install in $install_dir" && flock 9; }
      [ -e "$dir/.complete" ] && exit
      rm -rf "$dir"
      mkdir -p "$dir"
      "$function" "$dir"
      touch "$dir/.complete"
    ) 9>"$install_dir/.lock" || exit
  fi
  printf '%s\n' "$dir"
}

# free_port: prints a port below the range the kernel hands out, that nothing listens on.
free_port() {
  local port
  for _ in $(seq 100); do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { printf '%s\n' "$port" && return; }
  done
  die "no free port between 20000 and 32000"
}

# launch LOG CMD...: starts a server in a process group of its own, which dies with this script even if that is killed
# with SIGKILL. Sets `launched` to its process id, which is also the id of the group.
launch() {
  local log=$1
  shift
  setsid setpriv --pdeathsig TERM "$@" >"$log" 2>&1 </dev/null &
  launched=$!
}

# wait_for_line PID LOG TEXT SECONDS: waits until the server has written a line with TEXT, and prints that line.
# Fails when the server ends first, or the time is up.
wait_for_line() {
  local pid=$1 log=$2 text=$3 limit=$4 line tailer deadline=$((SECONDS + $4)) found=1
  exec 8< <(exec tail -n +1 -s 0.1 --pid="$pid" -f "$log" 2>/dev/null)
  tailer=$!
  while ((SECONDS < deadline)) && IFS= read -r -t "$limit" -u 8 line; do
    if [[ $line == *"$text"* ]]; then
      printf '%s\n' "$line"
      found=0
      break
    fi
  done
  exec 8<&-
  kill "$tailer" 2>/dev/null || true
  wait "$tailer" 2>/dev/null || true
  return "$found"
}

# stop_group PID: ends a process group, with SIGKILL if it has not ended 5 s after SIGTERM.
stop_group() {
  kill -TERM -- "-$1" 2>/dev/null || return 0
  timeout 5 tail -s 0.05 --pid="$1" -f /dev/null || true
  kill -KILL -- "-$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

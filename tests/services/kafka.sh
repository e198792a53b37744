# Apache Kafka: install, start. Sourced by `run`, after common.sh.

java_is_17() {
  local version
  version=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${version:-0}" -ge 17 ]
}

kafka_fetch() {
  need_command java openjdk-17-jre-headless
  java_is_17 || need_packages "Kafka 4 needs Java 17" openjdk-17-jre-headless
  need_command mvn maven
  step "Apache Kafka: fetching the jars with Maven (60 MB)" \
    mvn -B -q -f "$services_src/kafka-pom.xml" "-Dmaven.repo.local=$1/maven" \
    dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$1/libs"
  rm -rf "$1/maven"
}

kafka_install() {
  kafka_dir=$(install_once kafka "$services_src/kafka-pom.xml" kafka_fetch)
  java_is_17 || need_packages "Kafka 4 needs Java 17" openjdk-17-jre-headless
}

kafka_java() {
  # C1 only and one GC thread: the broker shares two cores with the tests.
  printf '%s\n' java -Xms128m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    -Djava.net.preferIPv4Stack=true \
    -Dorg.slf4j.simpleLogger.showDateTime=true '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS' \
    -Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config=warn \
    -cp "$kafka_dir/libs/*"
}

# kafka_start: sets kafka_pid and kafka_port; kafka_ready waits for it.
kafka_start() {
  local java controller
  mapfile -t java < <(kafka_java)
  kafka_port=${SPATE_TEST_KAFKA_PORT:-$(free_port)}
  controller=$(free_port)
  kafka_log=$log_dir/kafka.log
  rm -rf "$data_dir/kafka"
  mkdir -p "$data_dir/kafka"
  sed -e '/^#/d; /^$/d' -e "s|@PORT@|$kafka_port|; s|@CONTROLLER@|$controller|; s|@DATA@|$data_dir/kafka/logs|" \
    -e "s|@PORT@|$kafka_port|; s|@CONTROLLER@|$controller|" \
    "$services_src/kafka.properties" >"$data_dir/kafka/server.properties"
  # Formatting takes a Java start of its own (1 s), so it runs in the server's process and not here.
  # shellcheck disable=SC2016
  launch "$kafka_log" bash -c '
    "${@:2}" kafka.tools.StorageTool format -t c3BhdGUtdGVzdHMtc3BhdA -c "$1" || exit
    exec "${@:2}" kafka.Kafka "$1"' kafka "$data_dir/kafka/server.properties" "${java[@]}"
  kafka_pid=$launched
}

kafka_ready() {
  wait_for_line "$kafka_pid" "$kafka_log" 'Kafka Server started' 90 >/dev/null
}

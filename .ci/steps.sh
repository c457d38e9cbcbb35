# What `.ci/run` and `.ci/short` share.

step() {
	echo
	echo "=== $*"
	local started=$SECONDS
	"$@"
	echo "--- $* took $((SECONDS - started)) s"
}

# On Debian, installs what is missing: Chromium, unless CHROMIUM_PATH names another browser, and Redis for queue mode,
# whose PostgreSQL is among the packages of npm.
install_missing() {
	local missing=()
	if [ -z "${CHROMIUM_PATH:-}" ] && ! command -v chromium > /dev/null; then missing+=(chromium); fi
	if ! command -v redis-server > /dev/null; then missing+=(redis-server); fi
	if [ ${#missing[@]} -eq 0 ]; then return; fi
	step ${SUDO:-} apt-get update
	step ${SUDO:-} apt-get install --yes --no-install-recommends "${missing[@]}"
}

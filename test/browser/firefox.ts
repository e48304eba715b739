/** The names of the program in distributions. */
const NAMES = ["firefox", "firefox-esr"]

/**
 * Returns the path of the Firefox that `TOLLGATE_TEST_FIREFOX` names, or else of the installed Firefox.
 * @throws when there is no such program.
 */
export function findFirefox(): string {
  const named = process.env["TOLLGATE_TEST_FIREFOX"]
  const names = named === undefined ? NAMES : [named]
  const path = names.map((name) => Bun.which(name)).find((found) => found !== null)
  if (path !== undefined) return path
  throw new Error(
    `Firefox is not installed: there is no ${names.join(" or ")} here. Install it, or name its path in TOLLGATE_TEST_FIREFOX.`,
  )
}

/** Outcomes of requests that did not fail. This includes requests that their callers cancelled. */
export const OUTCOMES_WITHOUT_FAILURE: ReadonlySet<string> = new Set([
  "ok",
  "written_off",
  "caller_disconnected",
])

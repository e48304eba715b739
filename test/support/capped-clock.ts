/**
 * Loaded before the program by a test (`BUN_OPTIONS=--preload`). Between two readings, the clock of the process
 * advances by at most one interval of its timers. Its time limits then allow the same number of steps on a busy
 * machine.
 */
const { TOLLGATE_WORKERS = "1", TOLLGATE_WORKER_NUMBER } = process.env
const isParent = TOLLGATE_WORKERS !== "1" && TOLLGATE_WORKER_NUMBER === undefined
/** The interval of heartbeats, or of the checks of a shutdown. */
const MAX_STEP_MS = isParent ? 250 : 20

const now = performance.now.bind(performance)
let measuredAt = now()
let time = measuredAt

performance.now = () => {
  const current = now()
  time += Math.min(MAX_STEP_MS, current - measuredAt)
  measuredAt = current
  return time
}

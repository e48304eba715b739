/**
 * Delays every background flush of the gateway by `TOLLGATE_TEST_FLUSH_DELAY_MS`. `npm run test:repeat` loads it before
 * the tests, and before gateways that tests start as processes: a test that reads once while a write is pending fails
 * with it.
 */

/** Files whose timers write queued records that no request waits for. */
const FLUSHERS =
  /src\/(?:failures\/failure-queue|otlp\/span-queue|sinks\/line-sink|telemetry\/logger)\.ts/

const delayMs = Number(process.env["TOLLGATE_TEST_FLUSH_DELAY_MS"] ?? "0")
const { setTimeout: startTimer } = globalThis

if (delayMs > 0) {
  globalThis.setTimeout = Object.assign((handler: () => void, timeoutMs = 0, ...rest: []) => {
    const isFlush = FLUSHERS.test(new Error("a timer").stack ?? "")
    return startTimer(handler, isFlush ? timeoutMs + delayMs : timeoutMs, ...rest)
  }, startTimer)
}

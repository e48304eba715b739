/**
 * Delays every background flush of the gateway by `TOLLGATE_TEST_FLUSH_DELAY_MS`. `npm run test:repeat` loads it before
 * the tests, and in gateways that tests start as processes. A test that reads only once while a write is pending fails
 * because of the delay.
 */

/** Files with timers that write queued records. No request waits for these writes. */
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

/** A process that logs far more lines than the queue can hold without a reader, and reports when it is done. */
import { createLogger, lineWriter } from "../../src/telemetry/logger.ts"

const write = lineWriter(createLogger({ level: "info" }), "request")
const text = JSON.stringify({ text: "x".repeat(1_000) })
for (let index = 0; index < 60_000; index++) write(text)
console.log("written")

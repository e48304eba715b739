/** Logs much more than may wait while nobody reads it, and says when it is done. */
import { createLogger, writeLine } from "../../src/telemetry/logger.ts"

const logger = createLogger({ level: "info" })
const text = JSON.stringify({ text: "x".repeat(1_000) })
for (let index = 0; index < 60_000; index++) writeLine(logger, "request", text)
console.log("written")

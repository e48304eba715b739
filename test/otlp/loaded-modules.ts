/**
 * A process that starts a gateway, sends a request, and prints the number of OpenTelemetry files that it has loaded.
 */
import { simulated, startGateway } from "../support/gateway.ts"
import { CHAT, chat, telemetryFor } from "./traced.ts"

const [endpoint] = process.argv.slice(2)
const telemetry = endpoint === undefined ? {} : { telemetry: telemetryFor({ url: endpoint }) }
{
  await using gateway = await startGateway({
    models: { "sim/echo": simulated() },
    settings: telemetry,
  })
  const caller = await gateway.caller("1")
  await (await caller.post(CHAT, chat("sim/echo"))).text()
}
const loaded = Object.keys(require.cache).filter((path) => path.includes("/@opentelemetry/"))
process.stdout.write(`${loaded.length}\n`)

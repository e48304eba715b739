import { expect, test } from "bun:test"
import OpenAI from "openai"
import { startSimulator } from "../../../simulator/server.ts"
import { IS_EXHAUSTIVE } from "../../support/exhaustive.ts"
import { createInstallation, runJson, startServing } from "../../support/process.ts"

/**
 * Number of calls after each response. With two processes, some of the calls reach the process that did not send the
 * response.
 */
const ROUNDS = IS_EXHAUSTIVE ? 24 : 12

function yamlFor(simulatorUrl: string): string {
  return `
server: { host: 127.0.0.1, port: 0 }
providers:
  sim: { vendor: openai, api_key: upstream, base_url: "${simulatorUrl}/v1", known_models: false }
models:
  sim/gpt: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000, dialects: [openai-responses] }
`
}

test("ids of vendors are valid in all processes, after a restart, and for other keys of the account", async () => {
  await using simulator = startSimulator()
  using installation = createInstallation(yamlFor(simulator.url))
  const keyOf = (account: string) =>
    runJson<{ key: string; id: string }>(installation, "key", "create", "--account", account)
  await runJson(installation, "account", "create", "ann", "--credits", "10")
  await runJson(installation, "account", "create", "bob", "--credits", "10")
  const ann = await keyOf("ann")
  const bob = await keyOf("bob")
  const workers = { TOLLGATE_WORKERS: "2" }
  let last = ""
  {
    await using serving = await startServing(installation, workers)
    for (let round = 0; round < ROUNDS; round++) {
      // Each request uses a new connection, so that any process may receive it.
      const fetchOptions = { keepalive: false }
      const baseURL = `${serving.url}/v1`
      const client = new OpenAI({ apiKey: ann.key, baseURL, maxRetries: 0, fetchOptions })
      const order = { model: "sim/gpt", input: `Turn ${round}`, stream: round % 2 === 0 }
      const previous = last === "" ? {} : { previous_response_id: last }
      last = await idOf(client, { ...order, ...previous })
      const other = new OpenAI({ apiKey: bob.key, baseURL, maxRetries: 0, fetchOptions })
      const rejected = await idOf(other, { ...order, previous_response_id: last }).catch(String)
      expect(rejected).toContain("404 'previous_response_id' names the response")
    }
  }
  const rotated = await runJson<{ key: string }>(installation, "key", "rotate", ann.id)
  await using serving = await startServing(installation, workers)
  const client = new OpenAI({ apiKey: rotated.key, baseURL: `${serving.url}/v1`, maxRetries: 0 })
  const order = { model: "sim/gpt", input: "And again", previous_response_id: last }
  expect(await idOf(client, order)).toStartWith("resp_")
})

/** Returns the id of the response once it has arrived completely. */
async function idOf(
  client: OpenAI,
  order: { model: string; input: string; stream?: boolean; previous_response_id?: string },
): Promise<string> {
  const { stream = false, ...rest } = order
  if (!stream) return (await client.responses.create(rest)).id
  let id = ""
  for await (const event of await client.responses.create({ ...rest, stream: true })) {
    if (event.type === "response.completed") id = event.response.id
  }
  return id
}

import { expect, test } from "bun:test"
import { provider, startGateway } from "../../support/gateway.ts"
import { receiptOf } from "../support.ts"

/** A token that is in the vocabulary but is not valid text on its own. */
const STRANGE_TOKENS = [[100_256]]

test("an operation that the first deployment does not support is sent to the next deployment", async () => {
  await using gateway = await startGateway({
    models: {
      "two/embed": {
        kind: "embedding",
        price: { input: "1" },
        deployments: [
          { provider: "cohere", model: "embed-v4.0", weight: 1_000_000 },
          { provider: "openai", model: "text-embedding-3-small", weight: 1e-6 },
        ],
      },
      "one/embed": {
        kind: "embedding",
        price: { input: "1" },
        deployments: [{ provider: "cohere", model: "embed-v4.0", weight: 1 }],
      },
    },
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      cohere: provider(url, "cohere"),
    }),
  })
  const caller = await gateway.caller("1")
  const embed = (model: string) => caller.post("/v1/embeddings", { model, input: STRANGE_TOKENS })
  const rejected = await embed("one/embed")
  expect(rejected.status).toBe(400)
  expect(await rejected.text()).toContain("some of these tokens are not from")
  const answered = await embed("two/embed")
  expect(answered.status).toBe(200)
  const { attempts } = await receiptOf(caller, answered)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(["ok"])
})

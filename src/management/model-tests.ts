import type { ModelTest } from "#contract/catalog.ts"
import { type Actor, requireOperator } from "./actor.ts"
import type { Models } from "./models.ts"
import type { ListedTest, Providers } from "./providers.ts"

/** Tests whether providers offer their models. The tests call no model, so nothing is charged. */
export class ModelTests {
  readonly #models: Models
  readonly #providers: Providers

  constructor(models: Models, providers: Providers) {
    this.#models = models
    this.#providers = providers
  }

  /** Tests each deployment, including paused ones. @throws GatewayError `forbidden`, `model_not_found`. */
  async test(actor: Actor, id: string): Promise<ModelTest> {
    requireOperator(actor)
    const { deployments } = await this.#models.find(actor, id)
    const providers = [...new Set(deployments.map(({ provider }) => provider))]
    const tests = await Promise.all(
      providers.map(
        async (name) => [name, await this.#providers.testWithList(actor, name)] as const,
      ),
    )
    const byProvider = new Map(tests)
    return {
      object: "list",
      data: deployments.flatMap(({ provider, model, is_paused }) => {
        const test = byProvider.get(provider)
        return test ? [{ provider, model, is_paused, ...findingOf(model, test) }] : []
      }),
    }
  }
}

type Finding = Pick<ModelTest["data"][number], "ok" | "is_listed" | "message" | "duration_ms">

function findingOf(model: string, { ok, message, models, duration_ms }: ListedTest): Finding {
  if (!ok || models === null) return { ok, is_listed: null, message, duration_ms }
  const isListed = models.has(model)
  const found = isListed
    ? "It accepts the credential, and its list has the model."
    : `It accepts the credential, but its list does not name '${model}'. Check the name if calls fail.`
  return { ok, is_listed: isListed, message: found, duration_ms }
}

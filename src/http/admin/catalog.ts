import { modelRoutes, providerRoutes } from "#contract/catalog-routes.ts"
import { priceGroupRoutes } from "#contract/price-groups.ts"
import { priceRoutes } from "#contract/prices.ts"
import { requireOperator } from "../../management/actor.ts"
import type { ConsoleChanges } from "../../management/console-changes.ts"
import { ModelTests } from "../../management/model-tests.ts"
import { Models } from "../../management/models.ts"
import { PriceGroupManagement } from "../../management/price-groups.ts"
import { priceView } from "../../management/prices/price-view.ts"
import { Providers } from "../../management/providers.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"
import type { OpenParts } from "./parts.ts"

/** Endpoints of providers, models and their prices. */
export function catalogEndpoints(parts: OpenParts, changes: ConsoleChanges): AdminEndpoint[] {
  const { store } = parts
  const providers = new Providers({ ...parts, changes })
  const priceGroupOf = async (account: string) =>
    (await store.accounts.find(account))?.limits.priceGroup
  const models = new Models({ ...parts, changes, priceGroupOf })
  return [
    ...providerEndpoints(providers),
    ...priceGroupEndpoints(new PriceGroupManagement({ ...parts, changes })),
    ...modelEndpoints(models, new ModelTests(models, providers)),
    ...priceEndpoints(parts),
  ]
}

/** `/admin/v1/providers`: the configured accounts at vendors. */
function providerEndpoints(providers: Providers): AdminEndpoint[] {
  return endpoints(providerRoutes, {
    "GET /providers": ({ actor, query }) => providers.list(actor, query),
    "GET /providers/vendors": ({ actor }) => providers.vendors(actor),
    "POST /providers": ({ actor, body }) => providers.create(actor, body),
    "PATCH /providers/{id}": ({ actor, path, body }) => providers.change(actor, path("id"), body),
    "DELETE /providers/{id}": ({ actor, path }) => providers.remove(actor, path("id")),
    "POST /providers/{id}/test": ({ actor, path }) => providers.test(actor, path("id")),
  })
}

/** `/admin/v1/models`: the models and their prices. */
function modelEndpoints(models: Models, modelTests: ModelTests): AdminEndpoint[] {
  return endpoints(modelRoutes, {
    "GET /models": ({ actor, query }) => models.list(actor, query),
    "GET /models/newer": ({ actor }) => models.newer(actor),
    "GET /models/{provider}/{name...}": ({ actor, path }) => models.find(actor, idOf(path)),
    "POST /models/test": ({ actor, body }) => modelTests.test(actor, body.model),
    "PUT /models/{provider}/{name...}": ({ actor, path, body }) =>
      models.set(actor, idOf(path), body),
    "DELETE /models/{provider}/{name...}": ({ actor, path }) => models.reset(actor, idOf(path)),
  })
}

function idOf(path: (part: "provider" | "name") => string): string {
  return `${path("provider")}/${path("name")}`
}

/** `/admin/v1/prices`: the active and the pending list of known prices. */
function priceEndpoints({ priceUpdates }: OpenParts): AdminEndpoint[] {
  return endpoints(priceRoutes, {
    "GET /prices": async ({ actor }) => {
      requireOperator(actor)
      return priceView(await priceUpdates.lists())
    },
    "POST /prices/apply": async ({ actor, body }) => {
      await priceUpdates.apply(actor, body.date)
      return priceView(await priceUpdates.lists())
    },
  })
}

/** `/admin/v1/price-groups`: groups of accounts with their own prices. */
function priceGroupEndpoints(groups: PriceGroupManagement): AdminEndpoint[] {
  return endpoints(priceGroupRoutes, {
    "GET /price-groups": ({ actor, query }) => groups.list(actor, query),
    "POST /price-groups": ({ actor, body }) => groups.create(actor, body),
    "GET /price-groups/{id}": ({ actor, path }) => groups.find(actor, path("id")),
    "PATCH /price-groups/{id}": ({ actor, path, body }) => groups.change(actor, path("id"), body),
    "DELETE /price-groups/{id}": ({ actor, path }) => groups.delete(actor, path("id")),
  })
}

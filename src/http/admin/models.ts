import { modelRoutes } from "#contract/catalog-routes.ts"
import type { ModelTests } from "../../management/model-tests.ts"
import type { Models } from "../../management/models.ts"
import { type AdminEndpoint, endpoints } from "./endpoint.ts"

/** `/admin/v1/models`: the catalog, its prices, and what the console says of them. */
export function modelEndpoints({
  models,
  modelTests,
}: {
  readonly models: Models
  readonly modelTests: ModelTests
}): AdminEndpoint[] {
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

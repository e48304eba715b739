import { model, modelEntry, modelPage, modelQuery } from "tollgate-contract/catalog.ts"
import type { Models } from "../../management/models.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/models`: the catalog, its prices, and what the console says of them. */
export function modelEndpoints({ models }: { readonly models: Models }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/models",
      summary: "The models, with kind, context, prices, endpoints and health",
      least: "session",
      query: modelQuery,
      answer: modelPage,
      handle: ({ actor, query }) => models.list(actor, query),
    }),
    endpoint({
      method: "GET",
      path: "/models/{provider}/{name...}",
      summary: "One model",
      least: "session",
      answer: model,
      handle: ({ actor, path }) => models.find(actor, idOf(path)),
    }),
    endpoint({
      method: "PUT",
      path: "/models/{provider}/{name...}",
      summary: "Set a model's price, multiplier, kind or deployments, or add a model",
      least: "operator",
      body: modelEntry,
      answer: model,
      handle: ({ actor, path, body }) => models.set(actor, idOf(path), body),
    }),
    endpoint({
      method: "DELETE",
      path: "/models/{provider}/{name...}",
      summary: "Take back what was set of a model",
      least: "operator",
      handle: ({ actor, path }) => models.reset(actor, idOf(path)),
    }),
  ]
}

function idOf({ provider, name }: { readonly provider: string; readonly name: string }): string {
  return `${provider}/${name}`
}

import * as z from "zod"
import {
  model,
  modelEntry,
  modelPage,
  modelQuery,
  modelTest,
  modelTestQuestion,
  newerModelList,
  newProvider,
  provider,
  providerEntry,
  providerPage,
  providerTest,
  vendor,
} from "./catalog.ts"
import { pageQuery } from "./common.ts"
import { route } from "./route.ts"

/** `/admin/v1/providers`: the accounts at vendors through which models are called. */
export const providerRoutes = {
  "GET /providers": route({
    summary: "List the providers; only operators see their settings",
    minimumRole: "session",
    query: pageQuery,
    response: providerPage,
  }),
  "GET /providers/vendors": route({
    summary: "List the vendors that a provider can use, with their settings",
    minimumRole: "operator",
    response: z.object({ object: z.literal("list"), data: z.array(vendor) }),
  }),
  "POST /providers": route({
    summary: "Add a provider; its secrets are encrypted on disk and never shown again",
    minimumRole: "operator",
    body: newProvider,
    response: provider,
  }),
  "PATCH /providers/{id}": route({
    summary: "Change a provider; absent members are unchanged, null removes a member",
    minimumRole: "operator",
    body: providerEntry,
    response: provider,
  }),
  "DELETE /providers/{id}": route({
    summary: "Remove a provider and the settings of its models",
    minimumRole: "operator",
  }),
  "POST /providers/{id}/test": route({
    summary: "Test a provider's credential with a free request",
    minimumRole: "operator",
    response: providerTest,
  }),
}

/** `/admin/v1/models`: the catalog, its prices, and the settings made in the console. */
export const modelRoutes = {
  "GET /models": route({
    summary: "List the models with kind, context, prices, endpoints and health",
    minimumRole: "session",
    query: modelQuery,
    response: modelPage,
  }),
  "GET /models/newer": route({
    summary: "List requested models that are newer than the price list",
    minimumRole: "operator",
    response: newerModelList,
  }),
  "GET /models/{provider}/{name...}": route({
    summary: "Get a model",
    minimumRole: "session",
    response: model,
  }),
  "POST /models/test": route({
    summary: "Test whether the providers of a model offer it, free of charge",
    minimumRole: "operator",
    body: modelTestQuestion,
    response: modelTest,
  }),
  "PUT /models/{provider}/{name...}": route({
    summary: "Set a model's price, multiplier, kind or deployments, or add a model",
    minimumRole: "operator",
    body: modelEntry,
    response: model,
  }),
  "DELETE /models/{provider}/{name...}": route({
    summary: "Reset the settings of a model",
    minimumRole: "operator",
  }),
}

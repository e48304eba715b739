import * as z from "zod"
import {
  newProvider,
  provider,
  providerEntry,
  providerPage,
  providerTest,
  vendor,
} from "tollgate-contract/catalog.ts"
import { pageQuery } from "tollgate-contract/common.ts"
import type { Providers } from "../../management/providers.ts"
import { type Endpoint, endpoint } from "./endpoint.ts"

/** `/admin/v1/providers`: the accounts at vendors that models are called with. */
export function providerEndpoints({ providers }: { readonly providers: Providers }): Endpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/providers",
      summary: "The providers; who is no operator sees what they are and how they fare",
      least: "session",
      query: pageQuery,
      answer: providerPage,
      handle: ({ actor, query }) => providers.list(actor, query),
    }),
    endpoint({
      method: "GET",
      path: "/providers/vendors",
      summary: "The vendors that a provider can be added of, and what each one asks for",
      least: "operator",
      answer: z.object({ object: z.literal("list"), data: z.array(vendor) }),
      handle: ({ actor }) => providers.vendors(actor),
    }),
    endpoint({
      method: "POST",
      path: "/providers",
      summary: "Add a provider; its secrets are sealed on disk and never shown again",
      least: "operator",
      body: newProvider,
      answer: provider,
      handle: ({ actor, body }) => providers.create(actor, body),
    }),
    endpoint({
      method: "PATCH",
      path: "/providers/{id}",
      summary: "Change a provider; absent members stay, null takes one away",
      least: "operator",
      body: providerEntry,
      answer: provider,
      handle: ({ actor, path, body }) => providers.change(actor, path.id, body),
    }),
    endpoint({
      method: "DELETE",
      path: "/providers/{id}",
      summary: "Remove a provider, and what is set of its own models",
      least: "operator",
      handle: ({ actor, path }) => providers.remove(actor, path.id),
    }),
    endpoint({
      method: "POST",
      path: "/providers/{id}/test",
      summary: "Try a provider's credential with a question that costs nothing",
      least: "operator",
      answer: providerTest,
      handle: ({ actor, path }) => providers.test(actor, path.id),
    }),
  ]
}

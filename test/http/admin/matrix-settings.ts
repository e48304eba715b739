import { type Case, fresh, type World } from "./matrix-world.ts"
import { asked } from "./support.ts"

const DAY = new Date().toISOString().slice(0, 10)

async function newPriceGroup({ make }: World): Promise<string> {
  return String((await make("/price-groups", { id: fresh("group"), terms: [{}] })).id)
}

/** Nothing listens at this address. */
const ISSUER = { issuer: "http://127.0.0.1:9", client_id: "tollgate" }

async function newIssuer({ gateway }: World): Promise<string> {
  const id = fresh("issuer")
  await asked(gateway, "PUT", `/settings/issuers/${id}`, ISSUER)
  return id
}

/** The routes of settings, prices and the gateway itself. */
export const SETTINGS: readonly Case[] = [
  { route: "GET /settings" },
  { route: "GET /price-groups" },
  {
    route: "POST /price-groups",
    ask: () => ({ body: { id: fresh("group"), terms: [{ multiplier: "0.9" }] } }),
  },
  {
    route: "GET /price-groups/{id}",
    ask: async (world) => ({ path: { id: await newPriceGroup(world) } }),
  },
  {
    route: "PATCH /price-groups/{id}",
    ask: async (world) => ({ path: { id: await newPriceGroup(world) }, body: { name: "Ours" } }),
  },
  {
    route: "DELETE /price-groups/{id}",
    ok: 204,
    ask: async (world) => ({ path: { id: await newPriceGroup(world) } }),
  },
  { route: "GET /prices" },
  { route: "POST /prices/apply", ok: 404, ask: () => ({ body: { date: DAY } }) },
  { route: "PATCH /settings", ask: () => ({ body: { multiplier: "1.5" } }) },
  {
    route: "POST /settings/email/test",
    ask: () => ({ body: { address: `${fresh("someone")}@example.com` } }),
  },
  { route: "POST /settings/stripe/test" },
  { route: "GET /settings/issuers" },
  {
    route: "PUT /settings/issuers/{id}",
    ask: () => ({ path: { id: "ours" }, body: ISSUER }),
  },
  {
    route: "POST /settings/issuers/{id}/test",
    ask: async (world) => ({ path: { id: await newIssuer(world) } }),
  },
  {
    route: "DELETE /settings/issuers/{id}",
    ok: 204,
    ask: async (world) => ({ path: { id: await newIssuer(world) } }),
  },
  { route: "GET /ledger/verification" },
  { route: "GET /system" },
]

import { expect, test } from "bun:test"
import { methodAndPath, plainPath } from "tollgate-contract/route-name.ts"
import { SERVICE_ROUTES, type ServiceRoute } from "tollgate-contract/service-routes.ts"
import { startGateway } from "../support/gateway.ts"

test("every declared endpoint is served, and requires a key unless declared public", async () => {
  await using gateway = await startGateway({ settings: { metrics: { host: "", token: "any" } } })
  const wrong: string[] = []
  for (const [name, { isOpen = false }] of Object.entries<ServiceRoute>(SERVICE_ROUTES)) {
    const { method, path } = methodAndPath(name)
    const url = gateway.url + plainPath(path).replaceAll("{id}", "some")
    const { status } = await fetch(url, { method, ...(method === "POST" && { body: "{}" }) })
    if (status !== (isOpen ? 200 : 401)) wrong.push(`${name}: ${status}`)
  }
  expect(wrong).toEqual([])
})

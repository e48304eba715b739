import { expect, test } from "bun:test"

test("the gateway starts without the schemas of unused endpoints and features", async () => {
  const script = Bun.fileURLToPath(import.meta.resolve("./start-schemas.ts"))
  const child = Bun.spawn([process.execPath, script], { stderr: "inherit" })
  const { schemas, contract } = JSON.parse(await new Response(child.stdout).text())
  const names = contract.map((path: string) => path.slice(path.lastIndexOf("/") + 1))
  expect(names).toContain("service-routes.ts")
  expect(names).not.toContain("catalog.ts")
  expect(names).not.toContain("common.ts")
  // If this count grows, create schemas on first use. Settings have readers instead.
  expect(schemas).toBeWithin(1, 50)
})

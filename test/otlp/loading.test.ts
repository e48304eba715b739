import { expect, test } from "bun:test"
import { Collector } from "./collector.ts"

async function loadedWith(...endpoint: readonly string[]): Promise<number> {
  const script = Bun.fileURLToPath(import.meta.resolve("./loaded-modules.ts"))
  const child = Bun.spawn([process.execPath, script, ...endpoint], { stderr: "inherit" })
  return Number(await new Response(child.stdout).text())
}

test("OpenTelemetry is not loaded without a collector", async () => {
  using collector = new Collector()
  const [without, having] = await Promise.all([loadedWith(), loadedWith(collector.url)])
  expect(without).toBe(0)
  expect(having).toBeGreaterThan(10)
  expect(collector.spans).toHaveLength(2)
})

import { source as AXE } from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe finds serious or worse. */
export async function faultsOf(page: Page): Promise<string[]> {
  // As a person would who inspects a page: outside of its content security policy.
  await page.evaluate(AXE)
  const violations = await page.evaluate<Violation[]>(
    "axe.run().then(({ violations }) => JSON.parse(JSON.stringify(violations)))",
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)
}

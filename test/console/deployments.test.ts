import { expect, test } from "bun:test"
import type { Model } from "tollgate-contract/catalog.ts"
import {
  deploymentsFault,
  type DeploymentValues,
  entryWithDeployments,
  moved,
} from "../../console/src/pages/models/deployment-values.ts"

function value(model: string, part: Partial<DeploymentValues> = {}): DeploymentValues {
  return { row: 0, provider: "a", model, weight: "1", isPaused: false, ...part }
}

test("deployments that the gateway would reject are not submitted", () => {
  expect(deploymentsFault([value("x")])).toBeUndefined()
  expect(deploymentsFault([value(" ")])).toContain("needs a provider")
  expect(deploymentsFault([value("x", { weight: "-1" })])).toContain("Weights are")
  expect(deploymentsFault([value("x", { weight: "" })])).toContain("Weights are")
  expect(deploymentsFault([value("x", { isPaused: true })])).toContain("must not be paused")
  const idle = [value("x", { weight: "0" }), value("y", { isPaused: true })]
  expect(deploymentsFault(idle)).toContain("weight above 0")
  expect(deploymentsFault([value("x"), value("x ")])).toBe("a/x is there twice.")
})

test("other settings of the model and of a deployment are kept when deployments change", () => {
  const price = { input: "1", output: "2" }
  const entry = {
    multiplier: "2",
    deployments: [{ provider: "a", model: "x", weight: 1, paused: true, price }],
  }
  const values = [value("y", { weight: "0" }), value("x", { weight: "2.5" })]
  expect(entryWithDeployments({ entry } as unknown as Model, values)).toEqual({
    multiplier: "2",
    deployments: [
      { provider: "a", model: "y", weight: 0 },
      { provider: "a", model: "x", weight: 2.5, price },
    ],
  })
  expect(entryWithDeployments({ entry: null } as Model, [value("x")])).toEqual({
    deployments: [{ provider: "a", model: "x", weight: 1 }],
  })
})

test("a deployment can be moved one place, but not out of the list", () => {
  expect(moved(["a", "b", "c"], 2, -1)).toEqual(["a", "c", "b"])
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"])
  expect(moved(["a", "b"], 0, -1)).toEqual(["a", "b"])
  expect(moved(["a", "b"], 1, 1)).toEqual(["a", "b"])
})

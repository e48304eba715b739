import { expect, test } from "bun:test"
import { groupFindings } from "../../src/config/rules.ts"

const findings = (models: object, providers: readonly string[] = ["local"]) =>
  groupFindings(models, providers).map(({ path, message }) => `${path.join(".")} ${message}`)

test("a model group with valid members is accepted", () => {
  expect(
    findings({ "auto/cheap": { members: ["local/a", { model: "local/b", weight: 2 }] } }),
  ).toEqual([])
})

test("a model group that contains itself, another group, or a model twice is rejected", () => {
  const [own, other, twice] = findings({
    "auto/a": { members: ["auto/a", "auto/b", "local/a", "local/a"] },
    "auto/b": { members: ["local/a"] },
  })
  expect(own).toStartWith("models.auto/a.members.0 is the group itself")
  expect(other).toStartWith("models.auto/a.members.1 'auto/b' is a group too")
  expect(twice).toStartWith("models.auto/a.members.3 names 'local/a' a second time")
})

test("a model group with its own price or a provider's name is rejected", () => {
  const found = findings({ "local/all": { members: ["local/a"], price: { input: 1 } } })
  expect(found).toHaveLength(2)
  expect(found[0]).toContain("has the name of a provider before the slash")
  expect(found[1]).toStartWith("models.local/all.price belongs to the members")
})

test("a model group whose members all have weight 0 is rejected", () => {
  const members = [{ model: "local/a", weight: "0" }]
  expect(findings({ "auto/a": { members } })).toEqual([
    "models.auto/a.members need at least one member with a weight above 0",
  ])
})

import { describe, expect, test } from "bun:test"
import { differences } from "../../console/src/pages/audit/difference.ts"
import { actionWords, nameOf } from "../../console/src/pages/audit/record-words.ts"
import {
  entryOf,
  findVendors,
  freeId,
  idFault,
  missingFields,
  changeOf,
  typedOf,
} from "../../console/src/pages/providers/provider-form.ts"
import { questionOf } from "../../console/src/pages/users/user-task.ts"
import type { Provider, Vendor } from "tollgate-contract/catalog.ts"
import type { User } from "tollgate-contract/members.ts"

describe("an audit record in the console", () => {
  test("shows each changed member with its path", () => {
    const before = { name: "old", budget: { limit: "5" }, models: null, same: 1 }
    const after = { name: "new", budget: { limit: "7.5" }, models: ["a/*", "b/*"], same: 1 }
    expect(differences(before, after)).toEqual([
      { path: "name", before: "old", after: "new" },
      { path: "budget.limit", before: "5", after: "7.5" },
      { path: "models", before: "null", after: "a/*, b/*" },
    ])
  })

  test("shows all members if there is no earlier or no later state", () => {
    expect(differences(null, { a: 1 })).toEqual([{ path: "a", before: undefined, after: "1" }])
    expect(differences({ a: [{ b: true }] }, undefined)).toEqual([
      { path: "a[0].b", before: "true", after: undefined },
    ])
    expect(differences("x", "y")).toEqual([{ path: "", before: "x", after: "y" }])
    expect(differences({ a: {} }, { a: {} })).toEqual([])
  })

  test("has a title that is the name of the action", () => {
    expect(actionWords("key.create")).toBe("key: create")
    expect(actionWords("sign_in")).toBe("sign in")
  })

  test("shows the current name of its target", () => {
    expect(nameOf({ before: { name: "old" }, after: { name: "new" } })).toBe("new")
    expect(nameOf({ before: { name: "gone" }, after: null })).toBe("gone")
    expect(nameOf({ before: null, after: { name: 5 } })).toBeUndefined()
  })
})

const field = { label: "", is_required: false, is_secret: false, placeholder: null }
const openai: Vendor = {
  id: "openai",
  name: "OpenAI",
  base_url: null,
  fields: [
    { ...field, name: "api_key", label: "API key", is_required: true, is_secret: true },
    { ...field, name: "base_url", label: "Base URL" },
  ],
}

describe("a new provider in the console", () => {
  test("finds its vendor by name, with prefixes first", () => {
    const azure = { ...openai, id: "azure", name: "Azure OpenAI" }
    expect(findVendors([azure, openai], "open").map(({ id }) => id)).toEqual(["openai", "azure"])
    expect(findVendors([azure, openai], "azure open").map(({ id }) => id)).toEqual(["azure"])
    expect(findVendors([azure, openai], "none")).toEqual([])
  })

  test("gets an id that no other provider has", () => {
    expect(freeId("openai", [])).toBe("openai")
    expect(freeId("openai", ["openai", "openai-2"])).toBe("openai-3")
    expect(idFault("openai", ["openai"])).toContain("already")
    expect(idFault("Open AI", [])).toContain("lowercase letters")
    expect(idFault("mine", [])).toBeUndefined()
  })

  test("contains only the fields that were filled in", () => {
    const typed = {
      fields: { api_key: " sk-1 ", base_url: "", other: "x" },
      keys: undefined,
    }
    expect(entryOf(openai, typed)).toEqual({ api_key: "sk-1" })
    expect(missingFields(openai, { fields: {}, keys: undefined })).toEqual(["API key"])
    expect(missingFields(openai, typed)).toEqual([])
  })
})

test("a changed provider sends only changed fields, and null for emptied fields", () => {
  const entry = { vendor: "openai", base_url: "https://one.example" }
  const provider = { id: "openai", entry, secrets: ["api_key"] } as unknown as Provider
  const change = (fields: Record<string, string>) =>
    changeOf(openai, provider, { fields, keys: undefined })
  expect(typedOf(openai, provider)).toEqual({ base_url: "https://one.example" })
  expect(change({ base_url: "" })).toEqual({ base_url: null })
  expect(change({ base_url: "https://two.example", api_key: "k" })).toEqual({
    api_key: "k",
    base_url: "https://two.example",
  })
})

test("each action on a user changes a single field", () => {
  const user = { id: "user_1", name: "Ada" } as User
  const changes = (["promote", "demote", "disable", "enable"] as const).map(
    (name) => questionOf({ name, user }).change,
  )
  expect(changes).toEqual([
    { is_operator: true },
    { is_operator: false },
    { is_disabled: true },
    { is_disabled: false },
  ])
})

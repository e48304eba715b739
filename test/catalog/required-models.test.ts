import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import { build, provider, settings } from "./support.ts"

function failure(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("nothing was thrown")
}

const allows = (id: string) => id.startsWith("second/")

describe("the catalog lookup of a required model", () => {
  const { catalog } = build(settings({ mine: provider("acme"), second: provider("other") }))

  test("returns a model that can be called", () => {
    expect(catalog.require("mine/large", "chat").id).toBe("mine/large")
  })

  test("suggests similar names", () => {
    const bare = failure(() => catalog.require("larg", "chat"))
    expect(bare.kind).toBe("model_not_found")
    expect(bare.status).toBe(404)
    expect(bare.details.parameter).toBe("model")
    expect(bare.message).toBe(
      "The model `larg` does not exist. A model is named <provider>/<model_name>. " +
        "Did you mean `mine/large` or `second/large`? GET /v1/models lists all models.",
    )
    const typo = failure(() => catalog.require("mine/smal", "chat"))
    expect(typo.message).toBe(
      "The model `mine/smal` does not exist. Did you mean `mine/small`? GET /v1/models lists all models.",
    )
  })

  test("does not reveal models to a key without access to them", () => {
    expect(failure(() => catalog.require("larg", "chat", { allows })).message).not.toContain(
      "mine/",
    )
    expect(failure(() => catalog.require("mine/large", "chat", { allows })).kind).toBe(
      "model_not_allowed",
    )
    expect(failure(() => catalog.visible("mine/large", { allows })).kind).toBe("model_not_found")
    expect(catalog.visible("second/large", { allows }).id).toBe("second/large")
  })

  test("rejects a model of the wrong kind and a model without a price", () => {
    const kind = failure(() => catalog.require("mine/vectors", "chat"))
    expect([kind.kind, kind.status, kind.details.parameter]).toEqual([
      "model_not_supported",
      400,
      "model",
    ])
    const price = failure(() => catalog.require("mine/secret", "chat"))
    expect([price.kind, price.status, price.details.parameter]).toEqual([
      "model_not_priced",
      402,
      "model",
    ])
  })

  test("repeats only the beginning of an overlong name in the error", () => {
    expect(failure(() => catalog.require("x".repeat(100_000), "chat")).message.length).toBeLessThan(
      500,
    )
  })
})

import { describe, expect, test } from "bun:test"
import type { GatewayError } from "../../src/canon/errors.ts"
import { Keyring } from "../../src/keys/keyring.ts"
import { KeyIssuer } from "../support/key-issuer.ts"
import { Node } from "../../src/ledger/node.ts"
import type { Store } from "../../src/store/store.ts"
import { TestDatabase } from "../store/test-database.ts"
import { hasher, type Pairs, HOUR, ask, bearer, desk } from "./support.ts"
import { until } from "../support/until.ts"

describe("a keyring", () => {
  test("reads only changed keys, and reads nothing if there are no changes", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 0n)
    const asked: number[] = []
    const store: Store = {
      ...database.store,
      keys: {
        ...database.store.keys,
        listChanged: (revision) => {
          asked.push(revision)
          return database.store.keys.listChanged(revision)
        },
      },
    }
    const { keyring, issuer } = await desk(database, store)
    await issuer.issue({ account: "account", name: "key" })
    const { revision } = await database.store.nodes.poll("node", null)
    await keyring.refresh(revision)
    await keyring.refresh(revision)
    expect(asked).toEqual([-1, 0])
  })

  test("ignores changes that arrive after newer changes", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 0n)
    const gate = Promise.withResolvers<void>()
    let isSlow = false
    const store: Store = {
      ...database.store,
      keys: {
        ...database.store.keys,
        listChanged: async (revision) => {
          const changes = await database.store.keys.listChanged(revision)
          if (isSlow) {
            isSlow = false
            await gate.promise
          }
          return changes
        },
      },
    }
    const { keyring, issuer } = await desk(database, store)
    const { secret, key } = await issuer.issue({ account: "account", name: "key" })
    isSlow = true
    const late = keyring.refresh()
    await issuer.revoke(key.id)
    await keyring.refresh()
    gate.resolve()
    await late
    expect(ask(keyring, bearer(secret))).toBe("invalid_api_key")
  })

  test("receives every change of another process within a second", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 0n)
    const { issuer } = await desk(database)
    const store = await database.another()
    const { keyring } = await desk(database, store)
    await using node = await Node.join(store, "node", {
      onChanges: (changes) => keyring.refresh(changes.revision),
      async onRejoined() {},
      onExpired() {},
      onFailure() {},
    })
    const { secret, key } = await issuer.issue({ account: "account", name: "key" })
    await until(() => ask(keyring, bearer(secret)) === key.id, 1_000)
    const rotated = await issuer.rotate(key.id, 0)
    await until(() => ask(keyring, bearer(rotated.secret)) === key.id, 1_000)
    expect(ask(keyring, bearer(secret))).toBe("invalid_api_key")
    await issuer.revoke(key.id)
    await until(() => ask(keyring, bearer(rotated.secret)) === "invalid_api_key", 1_000)
    expect(node.id).toBe("node")
  })
})

/** Returns the result of an authentication that may read the ledger. */
async function identified(keyring: Keyring, headers: Pairs): Promise<string> {
  try {
    return (await keyring.identify(new Headers(headers), Date.now())).id
  } catch (error) {
    return (error as GatewayError).kind
  }
}

/** Returns a store that counts how often its keys are read. */
function counted(store: Store): { store: Store; readonly readings: number } {
  let readings = 0
  const listChanged: Store["keys"]["listChanged"] = (revision) => {
    readings++
    return store.keys.listChanged(revision)
  }
  return {
    store: { ...store, keys: { ...store.keys, listChanged } },
    get readings() {
      return readings
    },
  }
}

describe("a key created or changed by another process", () => {
  test("works immediately after its creation", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 0n)
    const { keyring, issuer } = await desk(database)
    const { secret, key } = await issuer.issue({ account: "account", name: "new" })
    expect(ask(keyring, bearer(secret))).toBe("invalid_api_key")
    expect(await identified(keyring, bearer(secret))).toBe(key.id)
    expect(ask(keyring, bearer(secret))).toBe(key.id)
    const rotated = await issuer.rotate(key.id, HOUR)
    expect(await identified(keyring, bearer(rotated.secret))).toBe(key.id)
  })

  test("stops working as soon as its revocation is reported, without further reads of the store", async () => {
    await using database = await TestDatabase.open()
    await database.account("account", 0n)
    let count = 0
    const changes = {
      get count() {
        return count
      },
      raise: () => void count++,
    }
    const issuer = new KeyIssuer(database.store, hasher)
    const { secret, key } = await issuer.issue({ account: "account", name: "key" })
    const [here, there] = [counted(database.store), counted(database.store)]
    const maker = new Keyring(here.store, hasher, changes)
    const other = new Keyring(there.store, hasher, changes)
    await Promise.all([maker.refresh(), other.refresh()])
    for (let times = 0; times < 3; times++) {
      expect(await identified(other, bearer(secret))).toBe(key.id)
    }
    expect(there.readings).toBe(1)
    await issuer.revoke(key.id)
    await maker.changed()
    expect(await identified(other, bearer(secret))).toBe("invalid_api_key")
    expect(ask(maker, bearer(secret))).toBe("invalid_api_key")
    expect([here.readings, there.readings]).toEqual([2, 2])
  })

  test("shares one lookup with other unknown keys, and causes no lookup if it is malformed", async () => {
    await using database = await TestDatabase.open()
    const { store } = database
    const watched = counted(store)
    const keyring = new Keyring(watched.store, hasher)
    await keyring.refresh()
    expect(await identified(keyring, bearer("sk-something-else"))).toBe("invalid_api_key")
    expect(await identified(keyring, {})).toBe("missing_api_key")
    expect(watched.readings).toBe(1)
    const strangers = Array.from({ length: 500 }, (_, index) =>
      identified(keyring, bearer(`sk-tg-${String(index).padStart(43, "a")}`)),
    )
    expect(new Set(await Promise.all(strangers))).toEqual(new Set(["invalid_api_key"]))
    expect(watched.readings).toBe(2)
  })

  test("returns a retryable error while the ledger cannot be read", async () => {
    await using database = await TestDatabase.open()
    const { store } = database
    const broken = {
      ...store,
      keys: { ...store.keys, listChanged: () => Promise.reject(new Error("disk I/O error")) },
    }
    const keyring = new Keyring(broken, hasher)
    const headers = bearer(`sk-tg-${"a".repeat(43)}`)
    expect(await identified(keyring, headers)).toBe("ledger_unavailable")
    expect(await identified(keyring, headers)).toBe("ledger_unavailable")
  })
})

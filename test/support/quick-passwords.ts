/**
 * Loaded before all tests by `npm test`. Passwords are then hashed at the lowest cost of the algorithm. The secure cost
 * would take a twentieth of the time of the tests. Tests of the cost itself request the secure cost.
 */
const { hash } = Bun.password

function useQuick(): void {
  Bun.password.hash = (password) =>
    hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 })
}

/** Runs a step in which passwords are hashed at the gateway's cost. */
export async function atFullCost(step: () => Promise<void>): Promise<void> {
  Bun.password.hash = hash
  try {
    await step()
  } finally {
    useQuick()
  }
}

useQuick()

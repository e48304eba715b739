/**
 * Loaded before all tests by `npm test`: passwords are hashed at the lowest cost of the algorithm instead of the secure
 * one, which would take a twentieth of the suite's time. Tests of the cost itself request it.
 */
const { hash } = Bun.password

function useQuick(): void {
  Bun.password.hash = (password) =>
    hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 })
}

/** Runs a step in which passwords are hashed as in the gateway. */
export async function atFullCost(step: () => Promise<void>): Promise<void> {
  Bun.password.hash = hash
  try {
    await step()
  } finally {
    useQuick()
  }
}

useQuick()

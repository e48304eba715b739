/**
 * Loaded before all tests by `npm test`: passwords are hashed at the least cost that the algorithm has, not at the one
 * that keeps people from guessing them, which would be a twentieth of the suite. Tests of the cost itself ask for it.
 */
const { hash } = Bun.password

function useQuick(): void {
  Bun.password.hash = (password) =>
    hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 })
}

/** Takes a step in which passwords are hashed as the gateway does. */
export async function atFullCost(step: () => Promise<void>): Promise<void> {
  Bun.password.hash = hash
  try {
    await step()
  } finally {
    useQuick()
  }
}

useQuick()

import type { Deployment, Model } from "../catalog/model.ts"
import type { Health } from "./health.ts"

const NONE: readonly Deployment[] = []

/**
 * The deployments to try for one request, in order: healthy ones in a random order drawn by weight, those with
 * weight 0 after them in the order of the settings, and those with an open circuit last. No priced one is left out, since a doubtful attempt
 * is better than a certain refusal.
 * @param random from 0 up to but not including 1.
 */
export function route(
  model: Model,
  health: Health,
  random: () => number = Math.random,
): readonly Deployment[] {
  const { deployments } = model
  return deployments.length === 1 ? single(deployments) : inOrder(deployments, health, random)
}

/** The likeliest order of a request's deployments, for estimates. */
export function likelyRoute(model: Model, health: Health): readonly Deployment[] {
  const priced = model.deployments
    .filter(({ price }) => price !== undefined)
    .toSorted((left, right) => right.weight - left.weight)
  const healthy = priced.filter(({ id }) => health.isHealthy(id))
  return [...healthy, ...priced.filter((deployment) => !healthy.includes(deployment))]
}

function single(deployments: readonly Deployment[]): readonly Deployment[] {
  return deployments[0]?.price === undefined ? NONE : deployments
}

function inOrder(
  deployments: readonly Deployment[],
  health: Health,
  random: () => number,
): readonly Deployment[] {
  const priced = deployments.filter(({ price }) => price !== undefined)
  if (health.isAllWell) return draw(priced, random)
  const healthy = priced.filter(({ id }) => health.isHealthy(id))
  const open = priced.filter((deployment) => !healthy.includes(deployment))
  return [...draw(healthy, random), ...draw(open, random)]
}

/** Draws without replacement; a deployment of twice the weight is first twice as often. */
function draw(deployments: readonly Deployment[], random: () => number): Deployment[] {
  const left = deployments.filter(({ weight }) => weight > 0)
  const fallbacks = deployments.filter(({ weight }) => !(weight > 0))
  let sum = left.reduce((total, { weight }) => total + weight, 0)
  const drawn: Deployment[] = []
  while (left.length > 0) {
    const index = pick(left, random() * sum)
    const [chosen] = left.splice(index, 1)
    if (chosen === undefined) break
    sum -= chosen.weight
    drawn.push(chosen)
  }
  return [...drawn, ...fallbacks]
}

function pick(deployments: readonly Deployment[], point: number): number {
  let passed = 0
  for (const [index, { weight }] of deployments.entries()) {
    passed += weight
    if (point < passed) return index
  }
  // The sum is a float, and the point can lie a rounding error beyond it.
  return deployments.length - 1
}

import { z } from "zod"

/*
 * The parts of Kubernetes' objects that the chart uses. Any other key is a mistake. If only one value is safe, because
 * the gateway would otherwise be less secure or lose requests, the value is fixed.
 */

const labels = z.record(z.string(), z.string())
const metadata = z.strictObject({ name: z.string(), labels })
const selector = z.strictObject({ matchLabels: labels })
const quantity = z.record(z.string(), z.string())

function probe<Path extends string>(path: Path) {
  return z.strictObject({
    httpGet: z.strictObject({ path: z.literal(path), port: z.literal("http") }),
    periodSeconds: z.int(),
    timeoutSeconds: z.int().optional(),
    failureThreshold: z.int(),
  })
}

const named = z.strictObject({ name: z.string() })

const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  imagePullPolicy: z.enum(["Always", "IfNotPresent", "Never"]),
  envFrom: z.array(
    z.union([z.strictObject({ secretRef: named }), z.strictObject({ configMapRef: named })]),
  ),
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({
        name: z.string(),
        valueFrom: z.strictObject({
          secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }),
        }),
      }),
    ]),
  ),
  ports: z.tuple([z.strictObject({ name: z.literal("http"), containerPort: z.int() })]),
  startupProbe: probe("/healthz"),
  readinessProbe: probe("/readyz"),
  livenessProbe: probe("/healthz"),
  resources: z.strictObject({ requests: quantity, limits: quantity }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(
    z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
})

const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  terminationGracePeriodSeconds: z.int(),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    runAsGroup: z.int().min(1),
    fsGroup: z.int().min(1),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  containers: z.tuple([container]),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: z.int(),
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(["ScheduleAnyway", "DoNotSchedule"]),
      labelSelector: selector,
    }),
  ),
  nodeSelector: labels,
  tolerations: z.array(z.unknown()),
  affinity: z.record(z.string(), z.unknown()),
  volumes: z.array(
    z.strictObject({
      name: z.string(),
      configMap: named.optional(),
      secret: z.strictObject({ secretName: z.string() }).optional(),
      emptyDir: z.strictObject({}).optional(),
    }),
  ),
})

const template = z.strictObject({ metadata: z.strictObject({ labels }), spec: pod })
const claim = z.strictObject({
  metadata: z.strictObject({ name: z.string() }),
  spec: z.strictObject({
    accessModes: z.tuple([z.literal("ReadWriteOnce")]),
    storageClassName: z.string().optional(),
    resources: z.strictObject({ requests: quantity }),
  }),
})

const deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata,
  spec: z.strictObject({
    replicas: z.int(),
    strategy: z.strictObject({
      rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.int().min(1) }),
    }),
    selector,
    template,
  }),
})

const statefulSet = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("StatefulSet"),
  metadata,
  spec: z.strictObject({
    replicas: z.int(),
    serviceName: z.string(),
    podManagementPolicy: z.enum(["Parallel", "OrderedReady"]),
    selector,
    template,
    volumeClaimTemplates: z.tuple([claim]),
  }),
})

const service = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata,
  spec: z.strictObject({
    type: z.enum(["ClusterIP", "NodePort", "LoadBalancer"]),
    selector: labels,
    ports: z.tuple([
      z.strictObject({ name: z.string(), port: z.int(), targetPort: z.literal("http") }),
    ]),
  }),
})

const configMap = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("ConfigMap"),
  metadata,
  data: z.strictObject({ "tollgate.yaml": z.string() }),
})

const disruptionBudget = z.strictObject({
  apiVersion: z.literal("policy/v1"),
  kind: z.literal("PodDisruptionBudget"),
  metadata,
  spec: z.strictObject({ maxUnavailable: z.int().min(1), selector }),
})

/** The objects of the chart, by the name of their template. */
export const OBJECTS = {
  workload: z.discriminatedUnion("kind", [deployment, statefulSet]),
  service,
  settings: configMap,
  "disruption-budget": disruptionBudget,
} as const

/** The Kubernetes object that runs the gateway. */
export type Workload = z.output<(typeof OBJECTS)["workload"]>

/**
 * Whether a text is an ExportMetricsServiceRequest in OTLP's JSON, by the rules of opentelemetry-proto (metrics/v1/metrics.proto,
 * common/v1/common.proto) and of the encoding: no unknown field, 64-bit integers as strings, enumerations as numbers.
 */

import * as z from "zod";

const uint64 = z.string().regex(/^\d{1,20}$/u);
const int64 = z.string().regex(/^-?\d{1,19}$/u);
const keyValue = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: int64 }),
    z.strictObject({ doubleValue: z.number() }),
    z.strictObject({ boolValue: z.boolean() }),
  ]),
});
const attributes = z
  .array(keyValue)
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length, "The keys of attributes must be unique");
const numberDataPoint = z
  .strictObject({
    attributes,
    startTimeUnixNano: uint64.optional(),
    timeUnixNano: uint64,
    asInt: int64.optional(),
    asDouble: z.number().optional(),
  })
  .refine(({ asInt, asDouble }) => (asInt === undefined) !== (asDouble === undefined), "A point has one value");
const metric = z
  .strictObject({
    name: z.string().regex(/^[a-z][a-z0-9_.]{0,254}$/iu),
    description: z.string().optional(),
    unit: z.string().max(63).optional(),
    gauge: z.strictObject({ dataPoints: z.array(numberDataPoint).min(1) }).optional(),
    sum: z
      .strictObject({
        dataPoints: z.array(numberDataPoint).min(1),
        aggregationTemporality: z.union([z.literal(1), z.literal(2)]),
        isMonotonic: z.boolean(),
      })
      .optional(),
  })
  .refine(({ gauge, sum }) => (gauge === undefined) !== (sum === undefined), "A metric has one kind of data");

export const exportMetricsRequest = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeMetrics: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          metrics: z.array(metric),
        }),
      ),
    }),
  ),
});

/** @throws ZodError */
export function parseOtlp(text: string): z.infer<typeof exportMetricsRequest> {
  return exportMetricsRequest.parse(JSON.parse(text));
}

/** The value of the only point of a metric whose attributes hold all of these. */
export function otlpValue(
  text: string,
  name: string,
  having: Readonly<Record<string, string>> = {},
): number | undefined {
  const metrics = parseOtlp(text).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics),
  );
  const found = metrics.find((one) => one.name === name);
  const points = (found?.sum ?? found?.gauge)?.dataPoints ?? [];
  const fits = points.filter((point) =>
    Object.entries(having).every(([key, value]) =>
      point.attributes.some((one) => one.key === key && "stringValue" in one.value && one.value.stringValue === value),
    ),
  );
  if (fits.length > 1) throw new Error(`${fits.length} points of ${name} have these attributes`);
  return fits[0]?.asDouble ?? (fits[0]?.asInt === undefined ? undefined : Number(fits[0].asInt));
}

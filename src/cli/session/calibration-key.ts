import type { Pacing, TransportName } from "../../engine/trial-spec.ts";
import type { CalibrationKey } from "../../result/calibration-schema.ts";
import type { Services } from "../services.ts";

/** What a ceiling measured now holds for, or one that holds now was measured for. */
export function calibrationKey(
  services: Services,
  {
    pacing,
    transport,
    workers,
  }: { readonly pacing: Pacing; readonly transport: TransportName; readonly workers: number },
): CalibrationKey {
  const { runtime, runtimeVersion, cpuModel, cpus } = services.environment();
  return { toolVersion: services.version(), runtime, runtimeVersion, cpuModel, cpus, pacing, transport, workers };
}

/** The slope of the straight line through the points (x, y), by least squares; NaN for fewer than two different x. */
export function slopeOf(x: readonly number[], y: readonly number[]): number {
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanX = meanOf(x);
  const meanY = meanOf(y);
  let along = 0;
  let square = 0;
  for (const [i, value] of x.entries()) {
    along += (value - meanX) * ((y[i] ?? Number.NaN) - meanY);
    square += (value - meanX) ** 2;
  }
  return along / square;
}

// The travel agency's data. Nothing is looked up and nothing is random: the same request always gets the same result, so that
// results can be compared and tested.

export interface Flight {
  flight: string;
  airline: string;
  from: string;
  to: string;
  date: string;
  departs: string;
  minutes: number;
  stops: number;
  price: number;
}

export interface Forecast {
  city: string;
  date: string;
  sky: string;
  high: number;
  low: number;
}

export const cities: readonly string[] = [
  'Amsterdam', 'Athens', 'Barcelona', 'Berlin', 'Copenhagen', 'Lisbon', 'London', 'Madrid', 'Oslo', 'Paris', 'Prague',
  'Rome', 'Stockholm', 'Vienna', 'Zurich',
];

export const interests: readonly string[] = [
  'architecture', 'art', 'food', 'hiking', 'history', 'music', 'nightlife', 'sea',
];

export const airlines: readonly string[] = ['Aurora Air', 'Blue Swift', 'Cirrus', 'Delphin', 'Echo Lines'];

/** The form of a date in a tool's arguments. */
export const dateSchema = { type: 'string', format: 'date', description: 'As in 2026-05-01' } as const;

/** A number from 0 to 1 derived from these words: FNV-1a, which is small and looks random enough. */
function share(...words: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const char of words.join('|').toLowerCase()) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  // So far the last characters have changed only the low bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) % 1000 / 1000;
}

/** The day's flight of one airline. */
export function flightOf(airline: string, from: string, to: string, date: string): Flight {
  const of = (what: string): number => share(what, airline, from, to, date);
  const stops = of('stops') < 0.6 ? 0 : 1;
  const quarters = 24 + Math.floor(of('departs') * 60);
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    flight: `${airline.slice(0, 2).toUpperCase()}${100 + Math.floor(of('number') * 900)}`,
    airline,
    from,
    to,
    date,
    departs: `${two(Math.floor(quarters / 4))}:${two((quarters % 4) * 15)}`,
    minutes: 70 + Math.floor(share('distance', from, to) * 120) + stops * 95,
    stops,
    price: 60 + Math.floor(of('price') * 240) - stops * 25,
  };
}

/** The day's flights, cheapest first. */
export function flightsOf(from: string, to: string, date: string): Flight[] {
  return airlines.map((airline) => flightOf(airline, from, to, date)).sort((a, b) => a.price - b.price);
}

/** The forecast for a known city; undefined for any other. */
export function forecastFor(name: string, date: string): Forecast | undefined {
  const city = cities.find((known) => known.toLowerCase() === name.toLowerCase());
  if (city === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  const skies = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'windy'];
  const high = 12 + Math.floor(share('high', city, date) * 18);
  return {
    city,
    date,
    sky: skies[Math.floor(share('sky', city, date) * skies.length)] ?? 'sunny',
    high,
    low: high - 4 - Math.floor(share('low', city, date) * 6),
  };
}

export const describeFlight = ({ flight, airline, departs, minutes, stops, price }: Flight): string =>
  `${flight} (${airline}) at ${departs}, ${minutes} minutes, ${stops === 0 ? 'direct' : `${stops} stop`}, ${price} EUR`;

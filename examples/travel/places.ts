import type { McpServer } from 'barewire/server';
import type { Agency } from './agency.ts';
import { cities, describeFlight, flightsOf, forecastFor, interests } from './data.ts';

const beginningWith = (all: readonly string[], typed: string): string[] =>
  all.filter((one) => one.toLowerCase().startsWith(typed.toLowerCase()));

// The smallest possible picture and sound: one red pixel, and eight samples of silence.
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const sound = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==';

/** The readable parts: resources, a template, a prompt, and a tool that returns every kind of content. */
export function registerPlaces(server: McpServer, agency: Agency): void {
  server.resource('travel://history', {
    name: 'Travel history',
    description: 'The trips that were booked, oldest first',
    mimeType: 'application/json',
  }, () => JSON.stringify(agency.trips, null, 2));

  server.resource('travel://calendar', {
    name: 'Travel calendar',
    description: 'Days and plans; add_to_calendar and book_trip change it, and subscribers are told',
    mimeType: 'text/plain',
  }, () => agency.calendar.map(({ date, title }) => `${date} ${title}`).join('\n'));

  server.resource('travel://stamp.png', {
    name: 'Stamp',
    description: 'A picture, as bytes',
    mimeType: 'image/png',
    cache: { ttlMs: 86_400_000, scope: 'public' },
  }, () => Uint8Array.from(atob(picture), (char) => char.charCodeAt(0)));

  server.resourceTemplate('weather://forecast/{city}/{date}', {
    name: 'Weather forecast',
    description: 'The weather in a city on a day',
    mimeType: 'application/json',
    complete: {
      city: (typed) => beginningWith(cities, typed),
      date: (typed) => beginningWith(['2026-05-01', '2026-05-02', '2026-05-03'], typed),
    },
    cache: { ttlMs: 3_600_000, scope: 'public' },
  }, ({ city, date }) => {
    const forecast = forecastFor(city, date);
    // Undefined: the resource does not exist.
    return forecast && JSON.stringify(forecast);
  });

  server.prompt('plan-vacation', {
    title: 'Plan a vacation',
    description: 'A plan for some days in a city, within a budget',
    arguments: {
      destination: {
        description: 'The city to go to',
        required: true,
        complete: (typed) => beginningWith(cities, typed),
      },
      duration: { description: 'Days', complete: (typed) => beginningWith(['3', '5', '7', '10', '14'], typed) },
      budget: {
        description: 'EUR in all',
        // The completions depend on the days chosen before.
        complete: (typed, { duration = '7' }) =>
          beginningWith([60, 120, 250].map((day) => String(day * (Number(duration) || 7))), typed),
      },
      interests: {
        description: 'What the traveller likes, with commas between',
        complete: (typed) => {
          const at = typed.lastIndexOf(',') + 1;
          const begun = typed.slice(at).trim();
          const chosen = typed.slice(0, at).split(',').map((one) => one.trim());
          return beginningWith(interests.filter((one) => !chosen.includes(one)), begun)
            .map((one) => [...chosen.filter((known) => known !== ''), one].join(', '));
        },
      },
    },
  }, ({ destination, duration = '7', budget, interests: likes }) => [
    {
      role: 'user',
      content: {
        type: 'text',
        text: `Plan ${duration} days in ${destination}${budget ? ` for at most ${budget} EUR` : ''}`
          + `${likes ? `, with ${likes}` : ''}. Take the calendar into account, and say what to book first.`,
      },
    },
    {
      role: 'user',
      content: {
        type: 'resource',
        resource: {
          uri: 'travel://calendar',
          mimeType: 'text/plain',
          text: agency.calendar.map(({ date, title }) => `${date} ${title}`).join('\n'),
        },
      },
    },
  ]);

  server.tool('city_guide', {
    title: 'City guide',
    description: 'A few words, a picture, a sound, the forecast, and a link: every kind of content',
    input: {
      type: 'object',
      properties: { city: { type: 'string', enum: cities, default: 'Lisbon' } },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, ({ city = 'Lisbon' }) => {
    const uri = `weather://forecast/${encodeURIComponent(city)}/2026-05-01`;
    const [cheapest] = flightsOf('Berlin', city, '2026-05-01');
    return [
      { type: 'text', text: `${city}${cheapest ? `: from Berlin with ${describeFlight(cheapest)}` : ''}.` },
      { type: 'image', data: picture, mimeType: 'image/png' },
      { type: 'audio', data: sound, mimeType: 'audio/wav' },
      {
        type: 'resource',
        resource: { uri, mimeType: 'application/json', text: JSON.stringify(forecastFor(city, '2026-05-01')) },
      },
      { type: 'resource_link', uri: 'travel://calendar', name: 'Travel calendar', mimeType: 'text/plain' },
    ];
  });
}

/**
 * Words of users and words of tool descriptions: at most 200 pairs, by the subject of the servers. Either side of a pair finds the other;
 * if one side is a phrase of several words, only the left side finds the right side.
 */
export const synonyms: readonly string[] = `
  folder=directory, document=file, pdf=file, photo=image, picture=image, picture=screenshot
  how big=size, how large=size, modified=time, contain=content, line=text, source=code
  rename=move, make=create, new=create, start=create, duplicate=copy, copy=fork
  remove=delete, erase=delete, forget=delete, cancel=delete, change=edit, change=update, modify=edit, edit=update
  show=get, show=read, view=get, fetch=get, retrieve=get, read=get, open=read
  look up=search, look for=search, look=get, find=search, seek=search, locate=search, query=search, dump=read
  allow=permission, may=allow, there are=list, whole=entire
  google=search, internet=web, online=web, web=site, site=page, website=web, website=page, news=web
  visit=navigate, open=navigate, go=navigate, browse=navigate, url=navigate, http=url, link=url, go back=back
  last=previous, last=recent, latest=recent, lately=recent, newest=recent, today=recent, earlier=history
  say=message, tell=message, tell=post, announce=post, send=post, write=post, notify=message
  answer=reply, respond=reply, comment=reply, remark=comment, note=observation
  room=channel, chat=channel, team=channel, thumb=reaction, emoji=reaction
  people=user, person=user, person=entity, who=user, colleague=user, member=user, account=user, employee=user, profile=user
  e mail=email, mail=email, job=title, log in=login, sign in=login, logged in=me, logged in=self, who am i=me, who am i=self
  ticket=issue, bug=issue, problem=issue, crash=issue, error=console
  pr=pull request, mr=merge request, pull request=merge request, propose=pull request, propose=merge request
  repo=repository, project=repository, codebase=repository, approve=review, accept=merge, ci=status, check=status, pipeline=status
  pass=status, upload=push, attach=upload
  remember=observation, remember=entity, remember=relation, fact=observation, fact=knowledge, know=knowledge, know=entity, memory=knowledge
  drive=direction, route=direction, way=direction, walk=direction, travel=direction, how far=distance, how long=duration, how high=elevation
  altitude=elevation, height=elevation, sea level=elevation, coordinate=latitude, coordinate=geocode, where=location, where=address
  near=nearby, near=place, near=local, neighbourhood=local, neighborhood=local, shop=business, store=business, restaurant=business, restaurant=place
  opening hour=detail, rating=review, city=place
  press=click, push=click, tap=click, select=choose, pick=select, dropdown=select, fill=type, enter=type, input=type
  field=form, javascript=evaluate, script=evaluate, run=execute, run=evaluate, request=network, traffic=network, back=previous
  appear=visible, log=console, wait=delay
  plus=sum, add=sum, total=sum, calculate=sum, repeat=echo, weather=forecast, appointment=event, meeting=event, schedule=event
  table=database, row=database, sql=database
`.trim().split(/[,\n]/).map((pair) => pair.trim());

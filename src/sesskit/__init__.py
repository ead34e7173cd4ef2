"""sesskit"""
